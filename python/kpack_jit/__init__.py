# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ functions and kernels of GPUs from texts, compiled when they are asked for and kept.

    import kpack_jit

    add = kpack_jit.compile("int add(int a, int b) { return a + b; }", "add")
    add(1, 2)  # 3

No module in C is needed: this is libkpack_jit.so through ctypes.
docs/reference/jit-python.md is the reference.
"""
from ._compile import Cache, Difference, Executor, Explanation, Kernel, Statistics, deserialize, device_target, stats
from ._hip import DeviceArray, synchronize
from ._jit import Constexpr, JitFunction, JitMethod, compile, compile_all, explain, jit, try_get
from ._library import CompileError, Detail, Error, version

__all__ = ["Cache", "CompileError", "Constexpr", "Detail", "DeviceArray", "Difference", "Error", "Executor",
           "Explanation", "JitFunction", "JitMethod", "Kernel", "Statistics", "compile", "compile_all", "deserialize",
           "device_target", "explain", "jit", "stats", "synchronize", "try_get", "version"]
