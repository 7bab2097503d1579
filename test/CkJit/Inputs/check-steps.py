# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Gradients take two or three kernels. Where one of them cannot be compiled none
# may run, as what the others leave looks like a result: the program hears of
# the error, and its tensors are as they were. The link seam cannot know which
# kernels belong together: there the steps before have run, and the error is
# all that tells. Mended, the same library computes.
import shutil
import sys

from minick_library import Library, arguments

library = Library(arguments().parse_args())
library.rewritten()
library.seam()
library.program("rewrite")
with open("variants") as f, open("three-steps", "w") as to:
    to.writelines(line for line in f if "fp16" in line)
for step, kernel in (("second", "dq_dk_dv"), ("third", "convert_dq")):
    (blob,) = [b for b in library.blobs if kernel in b and "fp16" in b]
    shutil.copy(blob, "good")
    with open(blob, "a") as f:
        f.write("static_assert(sizeof(int) == 1);\n")
    for kind in ("rewrite", "seam"):
        out = library.numbers(kind, "three-steps", expect=3)
        if "does not compile" not in out or ": exact" in out or "WRONG" in out:
            sys.exit("%s step, %s:\n%s" % (step, kind, out))
        lines = [l for l in out.splitlines() if l.startswith("row sums")]
        print("%s step fails, %s: %s" % (step, kind, lines[0]))
    shutil.copy("good", blob)
out = library.numbers("rewrite", "three-steps")
print(out, end="")
shutil.rmtree(library.o.work)
