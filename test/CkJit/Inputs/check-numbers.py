# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels of an API, compiled by the first call that wants them, on the emulated
# GPU: their results must be the reference's, and bit for bit those of the same
# blobs compiled ahead of time. The dispatcher has stubs in its source
# (rewrite) or in the link (seam). A kernel that is broken must be noticed. What
# was computed is printed; the tests say what it has to be.
import re
import shutil
import sys

from minick_library import Library, arguments

parser = arguments()
parser.add_argument("--break", dest="broken", help="what fmha_kernels.h has, and what instead: A=>B")
o = parser.parse_args()


def figures(name, out, result=None):
    """Says what a process of numbers.cpp has computed and, of a later one, whether it is what the first has."""
    lines = out.splitlines()
    variants = [re.search(r": (exact|WRONG), (\d+) numbers", line) for line in lines]
    variants = [v for v in variants if v]
    exact = sum(v[1] == "exact" for v in variants)
    said = ["%d of %d variants exact, %d numbers" % (exact, len(variants), sum(int(v[2]) for v in variants))]
    if ": " in lines[-1]:
        said.append(lines[-1].split(": ")[1])
    if result:
        with open("first.out", "rb") as a, open(result, "rb") as b:
            first, later = a.read(), b.read()
        said.append("%s %d bytes" % ("the same" if first == later else "OTHER", len(later)))
    print("%s: %s" % (name, "; ".join(said)))


library = Library(o)
library.rewritten()
library.seam()
library.ahead()
library.program("ahead")
first = library.numbers("rewrite", "variants", "first.out")
print(first, end="")
print("%d blobs" % len(library.blobs))
figures("rewrite, cold", first)
for kind in ("rewrite", "seam"):
    figures(kind + ", strict", library.numbers(kind, "variants", kind + ".out", CK_JIT_MODE="strict"), kind + ".out")
figures("ahead of time", library.numbers("ahead", "variants", "ahead.out"), "ahead.out")

# The comparison can fail: the first variant, from a header that was edited.
if o.broken:
    before, after = o.broken.split("=>")
    with open("minick/fmha_kernels.h") as f:
        text = f.read()
    if text.count(before) != 1:
        sys.exit("fmha_kernels.h has '%s' %d times" % (before, text.count(before)))
    with open("minick/fmha_kernels.h", "w") as f:
        f.write(text.replace(before, after))
    with open("variants") as f, open("broken", "w") as to:
        to.write(f.readline())
    broken = library.numbers("rewrite", "broken", expect=1)
    print("broken: " + broken, end="")
    figures("broken", broken)
shutil.rmtree(o.work)
