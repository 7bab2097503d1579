# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a disassembly: how many functions each variant of the lane loops has, and which
functions use registers of a variant that they do not belong to."""
import collections
import re
import sys

FUNCTION = re.compile(r"<(.+)>:$")
# Registers that a function of no variant, or of AVX2, does not have.
OF_AVX512 = re.compile(r"%(zmm|k[0-7]\b|[xy]mm(1[6-9]|2\d|3[01]))")
OF_AVX2 = re.compile(r"%ymm")

counts = collections.Counter()
found = set()
name, variant = "", None
for line in sys.stdin:
    head = FUNCTION.match(line)
    if head:
        name = head.group(1)
        # Mangled names of a namespace begin with its length.
        variant = next((v for v in ("6avx512", "4avx2", "7generic") if v in name), None)
        counts[variant] += 1
    elif variant != "6avx512" and OF_AVX512.search(line):
        found.add((name, "AVX-512"))
    elif variant not in ("6avx512", "4avx2") and OF_AVX2.search(line):
        found.add((name, "AVX2"))
for name, what in sorted(found):
    print("%s: uses %s without being of its variant" % (name, what))
for variant in ("7generic", "4avx2", "6avx512"):
    print("%s: %d functions" % (variant[1:], counts[variant]))
