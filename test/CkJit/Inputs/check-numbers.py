# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels of an API, compiled by the first call that wants them, on the emulated
# GPU: their results must be the reference's, and bit for bit those of the same
# blobs compiled ahead of time. The dispatcher has stubs in its source
# (rewrite) or in the link (seam). A kernel that is broken must be noticed.
import shutil
import sys

from minick_library import Library, arguments

parser = arguments()
parser.add_argument("--break", dest="broken", help="what fmha_kernels.h has, and what instead: A=>B")
o = parser.parse_args()


def same(one, other):
    with open(one, "rb") as a, open(other, "rb") as b:
        if a.read() != b.read():
            sys.exit("%s and %s differ" % (one, other))


library = Library(o)
library.rewritten()
library.seam()
library.ahead()
library.program("ahead")
first = library.numbers("rewrite", "variants", "first.out")
if "kernels: %d compiled, 0 from the cache" % len(library.blobs) not in first:
    sys.exit("first process: %d blobs, but\n%s" % (len(library.blobs), first))
print(first, end="")
for kind in ("rewrite", "seam"):
    again = library.numbers(kind, "variants", kind + ".out", CK_JIT_MODE="strict")
    if "kernels: 0 compiled, %d from the cache" % len(library.blobs) not in again:
        sys.exit("%s: a later process:\n%s" % (kind, again))
    same("first.out", kind + ".out")
library.numbers("ahead", "variants", "ahead.out")
same("first.out", "ahead.out")
print("rewrite, seam and ahead of time: the same bits")

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
    if "WRONG" not in broken:
        sys.exit("a broken kernel was not noticed:\n" + broken)
    print("broken: " + broken, end="")
shutil.rmtree(o.work)
