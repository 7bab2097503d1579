#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark behind `scripts/bench conv-headers`.

User seconds and memory of compilers, syntax only, for what users of
kpack/ConvBuilder include: Instance.h over the standard headers that it needs,
one more instance, and a translation unit with many. No build is needed. The
shortest of all rounds is taken: other load can only make a compile longer.
docs/evidence/bench.md explains the table.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include")
HEADER = "#include <kpack/ConvBuilder/Instance.h>\n"
# What is aimed at: seconds of the header, milliseconds of an instance, seconds and MB of 1000.
TARGETS = {"clang": (0.10, 12, 12, 300), "g++": (0.10, 8, 8, 600)}
OPERATIONS = ["PASS_THROUGH", "RELU", "SILU", "GELU", "TANH", "SIGMOID", "ELU", "SWISH", "SCALE", "CLAMP"]


def standard_headers():
    """All standard headers that the headers of ConvBuilder include."""
    found = set()
    for folder, _, names in os.walk(os.path.join(INCLUDE, "kpack", "ConvBuilder")):
        if os.path.basename(folder) not in ("kernels", "SoftGpu", "Tool"):
            for name in names:
                with open(os.path.join(folder, name)) as file:
                    found |= set(re.findall(r"^#include (<\w+>)", file.read(), re.M))
    return "".join("#include %s\n" % name for name in sorted(found | {"<cassert>", "<optional>"}))


def instances(count):
    """A unit with COUNT instances, each of another algorithm and signature."""
    text = HEADER + "using namespace kpack::conv;\n"
    tiles = [(m, n, k, wm, wn) for m in (32, 64, 128, 256) for n in (32, 64, 128, 256) for k in (16, 32, 64)
             for wm in (1, 2) for wn in (1, 2) if m * n <= 128 * 128 and m >= 32 * wm and n >= 32 * wn]
    kinds = [(dim, type_, op) for dim in (1, 2, 3) for type_ in ("FP16", "BF16") for op in OPERATIONS]
    for number in range(count):
        tile, kind = tiles[number // len(kinds)], kinds[number % len(kinds)]
        text += ("constexpr Signature S{0}{{.spatial_dim={1},.data_type=DataType::{2},.output={{.operation="
                 "Operation{{.elementwise_operation=ElementwiseOperation::{3}}}}}}};\n").format(number, *kind)
        text += ("constexpr Algorithm A{0}{{.kind=Kind::IMPLICIT_GEMM,.isa=Isa::MFMA,.tile=MNK{{{1},{2},{3}}},"
                 ".wave=WaveTile{{{{{4},{5},1}},{{32,32,8}}}}}};\n").format(number, *tile)
        text += 'constexpr auto C{0}=make_conv_instance<S{0},A{0},"1","gfx942">();\n'.format(number)
    return text


class Compiler:
    def __init__(self, name, work):
        self.name = name
        self.work = work

    def measure(self, text, rounds):
        """Shortest user seconds and most megabytes of compiling a text."""
        source = os.path.join(self.work, "unit.cpp")
        with open(source, "w") as file:
            file.write(text)
        command = [self.name, "-std=c++20", "-fsyntax-only", "-I", INCLUDE, source]
        best, memory = None, 0
        for _ in range(rounds):
            process = subprocess.Popen(command)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit("conv-headers: '%s' failed" % " ".join(command))
            best = min(best or usage.ru_utime, usage.ru_utime)
            memory = max(memory, usage.ru_maxrss / 1024)
        return best, memory

    def run(self, rounds, many):
        standard, _ = self.measure(standard_headers(), rounds)
        header, _ = self.measure(standard_headers() + HEADER, rounds)
        few, _ = self.measure(instances(20), rounds)
        more, _ = self.measure(instances(120), rounds)
        whole, memory = self.measure(instances(many), 1)
        return {"compiler": os.path.basename(self.name), "standard_s": standard, "header_s": header - standard,
                "instance_ms": (more - few) * 10, "instances": many, "instances_s": whole, "instances_mb": memory}


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench conv-headers", description=__doc__.split("\n\n")[1])
    parser.add_argument("--build", help=argparse.SUPPRESS)
    parser.add_argument("--llvm", default="/usr/lib/llvm-22", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="one round, and 100 instances instead of 1000")
    parser.add_argument("--json", metavar="FILE", help="write the figures to FILE, too")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.check:
        return
    rounds, many = (1, 100) if given.quick else (5, 1000)
    rows = []
    print("%-12s %10s %14s %12s %12s" % ("compiler", "header s", "instance ms", "%d s" % many, "MB"))
    with tempfile.TemporaryDirectory() as work:
        for name in (os.path.join(given.llvm, "bin", "clang++"), "g++"):
            row = Compiler(name, work).run(rounds, many)
            rows.append(row)
            print("%-12s %10.3f %14.1f %12.1f %12.0f" % (row["compiler"], row["header_s"], row["instance_ms"],
                                                       row["instances_s"], row["instances_mb"]), flush=True)
            print("%-12s %10.3f %14.1f %12.1f %12.0f" % (("aim",) + TARGETS["clang" if "clang" in name else "g++"]))
    if given.json:
        with open(given.json, "w") as file:
            json.dump({"schema": "kpack.bench.conv-headers/1", "rows": rows}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
