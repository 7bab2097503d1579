#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call from Python takes, beside one by ctypes alone. Called by scripts/bench jit-python."""
import argparse
import ctypes
import json
import os
import sys
import tempfile
import timeit

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
AIM_NS = 4000  # of a call with three arrays


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench jit-python")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--llvm", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=300, help="of each way, in turn (default: 300)")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    args = parser.parse_args()
    if args.rounds < 1:
        parser.error("--rounds: 1 or more")
    return args


def ways():
    """Names, and calls of one function with three arrays and a number."""
    import numpy as np

    import kpack_jit

    class OnlyDLPack:
        """An array as other libraries have it."""
        def __init__(self, array):
            self.array = array

        def __dlpack__(self):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return 1, 0

    text = "void add(float *z, const float *x, const float *y, long n) { for (long i = 0; i < n; ++i) z[i] = x[i] + y[i]; }"
    add = kpack_jit.compile(text, "add")
    x, y, z = (np.ones(1, np.float32) for _ in range(3))
    pointer, number = ctypes.c_void_p, ctypes.c_long
    raw = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, number)(add.address)
    array = np.ctypeslib.ndpointer(np.float32, flags="C")
    with_numpy = ctypes.CFUNCTYPE(None, array, array, array, number)(add.address)
    px, py, pz = (a.ctypes.data for a in (x, y, z))
    dx, dy, dz = (OnlyDLPack(a) for a in (x, y, z))

    @kpack_jit.jit
    def fixed(z: "float *", x: "const float *", y: "const float *", n: int):
        """z[0] = x[0] + y[0];"""

    @kpack_jit.jit
    def constant(z: "float *", x: "const float *", y: "const float *", n: kpack_jit.Constexpr):
        """for (int i = 0; i < n; ++i) z[i] = x[i] + y[i];"""

    made = [("ctypes, addresses", lambda: raw(pz, px, py, 1)),
            ("Executor, NumPy", lambda: add(z, x, y, 1)),
            ("@jit, NumPy", lambda: fixed(z, x, y, 1)),
            ("@jit, NumPy and a constant", lambda: constant(z, x, y, 1)),
            ("Executor, DLPack", lambda: add(dz, dx, dy, 1)),
            ("ctypes, ndpointer", lambda: with_numpy(z, x, y, 1)),
            ("ctypes, array.ctypes", lambda: raw(z.ctypes.data, x.ctypes.data, y.ctypes.data, 1))]
    for name, call in made:
        z[0] = 0
        call()
        if z[0] != 2:
            sys.exit("bench: error: %s: wrong result" % name)
    return made


def main():
    args = arguments()
    if args.check:
        return
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(KPACK_JIT_LIBRARY=os.path.join(args.build, "lib", "libkpack_jit.so.0"),
                          KPACK_JIT_COMPILER=os.path.join(args.llvm, "bin", "clang++"), KPACK_JIT_CACHE_DIR=cache)
        sys.path.insert(0, os.path.join(ROOT, "python"))
        calls = ways()
        count, best = 100, {}
        for _ in range(args.rounds):
            # In turn, so that other load hits all of them; it can only make a round longer.
            for name, call in calls:
                took = timeit.timeit(call, number=count) / count * 1e9
                best[name] = min(took, best.get(name, took))
    base = best[calls[0][0]]
    print("A call with three arrays         ns   ratio")
    for name, took in best.items():
        print("  %-28s %6.0f %7.2f%s" % (name, took, took / base,
                                         "   (aim: at most %d ns)" % AIM_NS if name == "Executor, NumPy" else ""))
    if args.json:
        rows = [{"way": name, "ns": took, "ratio": took / base} for name, took in best.items()]
        with open(args.json + ".tmp", "w", encoding="utf-8") as out:
            json.dump({"schema": "kpack.bench.jit-python/1", "aim_ns": AIM_NS, "rows": rows}, out, indent=1)
        os.replace(args.json + ".tmp", args.json)


if __name__ == "__main__":
    main()
