# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls two kernels of the library beside it. There is no GPU where the pages are run:
the program emulates one. A kernel that cannot be had ends it by an exception of C++."""
import ctypes
import os
import sys

if "KPACK_SOFTGPU_STATUS" not in os.environ:
    os.execvp("kpack-run", ["kpack-run", "--gpu=gfx90a", "--", sys.executable, *sys.argv])

# The GPU that kernels are compiled for is the one that the runtime has found.
runtime = ctypes.CDLL("libamdhip64.so.5", mode=ctypes.RTLD_GLOBAL)
if runtime.hipInit(0) != 0:
    sys.exit("train.py: error: hipInit: no GPU")
library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libmha_fwd.so"))


class Statistics(ctypes.Structure):
    _fields_ = [("resolved", ctypes.c_ulonglong), ("hits", ctypes.c_ulonglong), ("compiles", ctypes.c_ulonglong),
                ("failures", ctypes.c_ulonglong), ("compile_seconds", ctypes.c_double)]


for dtype in b"fp32", b"fp16":
    library.mha_fwd(8, dtype)
counts = Statistics()
library.ck_jit_get_statistics(ctypes.byref(counts))
print("trained: %d loaded, %d compiled, %d from a cache" % (counts.resolved, counts.compiles, counts.hits))
