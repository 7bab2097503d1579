#!/usr/bin/env python3
"""Runs the examples' kernels out of kpack archives by softgpu-run, and checks every number.

run-examples.py --softgpu-run PROGRAM --kpack PROGRAM --nm PROGRAM --gpu GPU --work DIR

DIR has vector_add.kpack, multi_tu.kpack, hip_program.kpack, filter.kpack, two_gpus.kpack and
transform_float.kpack, transform_double.kpack. The expected values are computed here, from what the kernels are
for; floating-point kernels get inputs with which nothing is ever rounded.
"""
import argparse
import json
import math
import os
import struct
import subprocess
import sys


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, "%s\n%s" % (" ".join(map(str, command)), done.stderr)
    return done.stdout


class Gpu:
    """One emulated GPU; kernels of one archive after another."""

    def __init__(self, args):
        self.args = args
        self.archive = None
        self.symbols = {}  # kernel -> key in the archive

    def open(self, archive):
        self.archive = os.path.join(self.args.work, archive + ".kpack")
        self.symbols = {}
        listed = run(self.args.kpack, "list", "--json", "--arch=" + self.args.gpu, self.archive)
        for entry in json.loads(listed)["archives"][0]["entries"]:
            code = os.path.join(self.args.work, "code")
            if os.path.exists(code):
                os.remove(code)
            run(self.args.kpack, "extract", self.archive, "--arch=" + self.args.gpu,
                "--binary=" + entry["binary"], "-o", code)
            for symbol in run(self.args.nm, "-D", code).splitlines():
                self.symbols[symbol.split()[-1]] = entry["binary"]

    def launch(self, part, grid, block, arguments, lds=0, options=()):
        """Contents of the output buffers. \\p part of the kernel's name finds it."""
        kernels = [s for s in self.symbols if part in s and s + ".kd" in self.symbols]
        assert len(kernels) == 1, "%s: %s" % (part, kernels)
        command = [self.args.softgpu_run, self.archive, kernels[0], "--arch=" + self.args.gpu,
                   "--binary=" + self.symbols[kernels[0]], "--grid=%d" % grid, "--block=%d" % block,
                   "--lds=%d" % lds, *options]
        outputs = []
        for number, argument in enumerate(arguments):
            file = os.path.join(self.args.work, "argument%d" % number)
            if isinstance(argument, bytes):  # read only
                self.write(file, argument)
                argument = "in:" + file
            elif isinstance(argument, bytearray):  # read and written
                self.write(file, argument)
                argument = "inout:%s:%s.out" % (file, file)
                outputs.append(file + ".out")
            command.append("--arg=" + argument)
        run(*command)
        return [self.read(file) for file in outputs]

    @staticmethod
    def write(path, data):
        with open(path, "wb") as f:
            f.write(data)

    @staticmethod
    def read(path):
        with open(path, "rb") as f:
            return f.read()

    def path(self, name):
        return os.path.join(self.args.work, name)


def pack(kind, values):
    return struct.pack("<%d%s" % (len(values), kind), *values)


def unpack(kind, data):
    return list(struct.unpack("<%d%s" % (len(data) // struct.calcsize(kind), kind), data))


def vector_add(gpu):
    n = 5000
    a, b = [float(i) for i in range(n)], [2.5 * (i % 7) for i in range(n)]
    out, = gpu.launch("vectorAdd", 20, 256, [pack("f", a), pack("f", b), bytearray(4 * n), "i32:%d" % n])
    return unpack("f", out) == [x + y for x, y in zip(a, b)]


def multi_tu(gpu):
    n = 1000
    filled, = gpu.launch("fill", 4, 256, [bytearray(4 * n), "f32:2.5", "i32:%d" % (n - 1)])
    y = [float(i) for i in range(n)]
    out, = gpu.launch("saxpy", 4, 256, ["f32:3", filled, bytearray(pack("f", y)), "i32:%d" % n])
    return unpack("f", out) == [3 * 2.5 + i for i in range(n - 1)] + [n - 1.0]


def histogram(gpu):
    values, bins = [i * i * 2654435761 % 2**32 for i in range(10007)], 37
    expected = [1] * bins  # one in each from before
    for value in values:
        expected[value % bins] += 1
    out, = gpu.launch("count", 5, 128, [pack("I", values), "i32:%d" % len(values), bytearray(pack("I", [1] * bins)),
                                        "i32:%d" % bins], lds=4 * bins)
    return unpack("I", out) == expected


def weighted_sum(gpu, kind, mangled):
    """The kernel's sums by block, and its count of blocks in a device variable."""
    n, weights = 5001, [1, 10, 100, 1000]
    values = [(i * 7919) % 1009 for i in range(n)]
    gpu.write(gpu.path("weights"), pack("I", weights))
    gpu.write(gpu.path("blocks"), pack("I", [40]))
    blocks = (n + 255) // 256
    out, = gpu.launch("reduceI" + mangled, blocks, 256,
                      [pack(kind, values), "i32:%d" % n, bytearray(struct.calcsize(kind) * blocks)],
                      options=["--set=Weights:" + gpu.path("weights"), "--set=BlocksRun:" + gpu.path("blocks"),
                               "--get=BlocksRun:" + gpu.path("blocks.out")])
    products = [value * weights[i % 4] for i, value in enumerate(values)]
    return (unpack(kind, out) == [sum(products[b * 256:b * 256 + 256]) for b in range(blocks)]
            and unpack("I", gpu.read(gpu.path("blocks.out"))) == [40 + blocks])


def smooth(gpu):
    n = 1000
    values = [0] + [(i * 37) % 101 - 50 for i in range(n)] + [0]
    out, = gpu.launch("smoothKernel", (n + 63) // 64, 64, [pack("i", values[1:-1]), bytearray(4 * n), "i32:%d" % n])
    return unpack("i", out) == [sum(values[i:i + 3]) for i in range(n)]


def collatz(gpu, wave):
    def steps(x):
        count = 0
        while x > 1:
            x, count = x // 2 if x % 2 == 0 else 3 * x + 1, count + 1
        return count

    n = 700
    values = [1 + 13 * i for i in range(n)]
    out, lanes = gpu.launch("steps", 3, 256, [pack("I", values), bytearray(4 * n), "i32:%d" % n, bytearray(4)])
    return unpack("I", out) == [steps(x) for x in values] and unpack("i", lanes) == [wave]


def transform(gpu, kind):
    """Sums without rounding: of unit impulses, which pick rows of the table of roots, and of small
    integers with a table of small integers."""
    length = 20
    roots = [(math.cos(2 * math.pi * k / length), -math.sin(2 * math.pi * k / length)) for k in range(length)]
    table = unpack(kind, pack(kind, [part for root in roots for part in root]))
    impulses = [0.0] * (4 * length)
    impulses[2] = 1.0  # first: 1 at 1
    impulses[2 * length + 7] = 1.0  # second: i at 3
    out, = gpu.launch("transform", 1, 64, [pack(kind, impulses), bytearray(len(pack(kind, impulses))),
                                           pack(kind, table), "i32:2"])
    want = list(table)
    for k in range(length):
        real, imaginary = table[2 * (3 * k % length)], table[2 * (3 * k % length) + 1]
        want += [-imaginary, real]
    if unpack(kind, out) != want:
        return False
    numbers = [(i * 31) % 17 - 8.0 for i in range(2 * length)]
    wholes = [(i * 13) % 11 - 5.0 for i in range(2 * length)]
    out, = gpu.launch("transform", 1, 64, [pack(kind, numbers), bytearray(len(pack(kind, numbers))),
                                           pack(kind, wholes), "i32:1"])
    want = []
    for row in range(length):
        total = sum(complex(numbers[2 * k], numbers[2 * k + 1])
                    * complex(wholes[2 * (row * k % length)], wholes[2 * (row * k % length) + 1])
                    for k in range(length))
        want += [total.real, total.imag]
    return unpack(kind, out) == want


def main():
    parser = argparse.ArgumentParser()
    for name in ("softgpu-run", "kpack", "nm", "gpu", "work"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    gpu = Gpu(args)
    wave = 64 if args.gpu.startswith("gfx9") else 32
    tests = [("vector_add", "vector_add", vector_add), ("multi_tu", "multi_tu", multi_tu),
             ("histogram", "hip_program", histogram),
             ("weighted_sum of u32", "hip_program", lambda g: weighted_sum(g, "I", "j")),
             ("weighted_sum of u64", "hip_program", lambda g: weighted_sum(g, "Q", "m")),
             ("weighted_sum of f64", "hip_program", lambda g: weighted_sum(g, "d", "d")),
             ("filter", "filter", smooth), ("two_gpus", "two_gpus", lambda g: collatz(g, wave)),
             ("transform of f32", "transform_float", lambda g: transform(g, "f")),
             ("transform of f64", "transform_double", lambda g: transform(g, "d"))]
    good = True
    for name, archive, test in tests:
        gpu.open(archive)
        right = test(gpu)
        print("%-20s %s %s" % (name, args.gpu, "exact" if right else "WRONG"))
        good = good and right
    return 0 if good else 1


sys.exit(main())
