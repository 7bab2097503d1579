"""Which library a package that is installed finds, and that it works."""
import os

import numpy as np

import kpack_jit

add = kpack_jit.compile("int add(int a, int b) { return a + b; }", "add")
total = kpack_jit.compile("double total(const double *x) { return x[0] + x[1] + x[2]; }", "total")
with open("/proc/self/maps") as maps:
    libraries = {os.path.realpath(line.split()[-1]) for line in maps if "libkpack_jit.so" in line}
print("library:", *[path.replace(".so.0.1.0", ".so.0") for path in libraries])
print("add: %d, NumPy: %s, compiles: %d" % (add(1, 2), total(np.array([1.0, 2.0, 3.0])), kpack_jit.stats().compiles))
