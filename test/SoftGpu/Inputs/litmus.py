#!/usr/bin/env python3
"""Runs litmus.hip on every emulated GPU and counts outcomes that its memory model forbids.

litmus.py --softgpu-run PROGRAM --source FILE --prefix PATH [--rounds N] [--threads LIST]
          [--kernels REGEX] [--gpus LIST] -- COMPILER FLAG...

A round has 64 threads on each side. KPACK_TEST_LITMUS_ROUNDS and KPACK_TEST_LITMUS_WORKERS
give the defaults, else 800 and 2. Exit status 1, and a line for each kernel that had a
forbidden outcome or none that proves anything.
"""
import argparse
import os
import re
import struct
import subprocess
import sys

GPUS = "gfx90a,gfx942,gfx1030,gfx1100,gfx1201"
THREADS = 64
CELL_BYTES = 384
LOOK_BACK_BLOCKS = 16


def shape(kernel, rounds, workers):
    """Blocks, threads of a block, bytes of cells, rounds of a pair or look-back."""
    if kernel.startswith("look_back"):
        rounds //= LOOK_BACK_BLOCKS
        return LOOK_BACK_BLOCKS, THREADS, rounds * LOOK_BACK_BLOCKS * THREADS * 16, rounds
    in_block = kernel.endswith("workgroup")
    # Each worker has one block, so that the agents of a pair run at the same time.
    pairs = workers if in_block else max(1, workers // 2)
    cells = pairs * THREADS * CELL_BYTES
    return (pairs, 2 * THREADS, cells, rounds // pairs) if in_block else (2 * pairs, THREADS, cells, rounds // pairs)


class Litmus:
    def __init__(self, args, compiler):
        self.args = args
        self.compiler = compiler
        with open(args.source) as f:
            source = f.read()
        self.kernels = self.named(source)
        assert self.kernels, "no kernel is called " + args.kernels
        self.runs = self.failures = 0

    def named(self, source):
        """The kernels, from the lists at the source's end."""
        names = re.findall(r"^TEST\((\w+),", source, re.M)
        for prefix in re.findall(r"^AT_ALL_SCOPES\((\w+),", source, re.M):
            names += [prefix + "_" + scope for scope in ("workgroup", "agent", "system")]
        for space in re.findall(r"^IN_ALL_WIDTHS\((\w+),", source, re.M):
            names += ["wide_%s_%s" % (space, width) for width in ("8", "12", "12_offset", "16")]
        return [name for name in names if re.search(self.args.kernels, name)]

    def compile(self, gpu):
        code = "%s.%s.co" % (self.args.prefix, gpu)
        subprocess.run(self.compiler + ["-std=c++20", "-O2", "--offload-arch=" + gpu, "--cuda-device-only",
                                        "--no-gpu-bundle-output", self.args.source, "-o", code], check=True)
        return code

    def run(self, gpu, code, kernel, threads):
        blocks, block, cells, rounds = shape(kernel, self.args.rounds, threads)
        result = "%s.%s.result" % (self.args.prefix, gpu)
        run = subprocess.run([self.args.softgpu_run, code, kernel, "--grid=%d" % blocks, "--block=%d" % block,
                              "--threads=%d" % threads, "--arg=zero:%d" % cells,
                              "--arg=out:%s:8" % result, "--arg=u32:%d" % rounds],
                             capture_output=True, text=True)
        self.runs += 1
        where = "%s, %s, %d workers" % (gpu, kernel, threads)
        if run.returncode:
            return self.fail(where, run.stderr.strip())
        with open(result, "rb") as f:
            forbidden, met = struct.unpack("<II", f.read())
        if self.args.verbose:
            print("%s: %d forbidden, %d met" % (where, forbidden, met))
        if forbidden or not met:
            self.fail(where, "%d forbidden outcomes, %d rounds that prove anything" % (forbidden, met))

    def fail(self, where, why):
        self.failures += 1
        print("%s: %s" % (where, why))

    def all(self):
        for gpu in self.args.gpus.split(","):
            code = self.compile(gpu)
            for threads in map(int, self.args.threads.split(",")):
                for kernel in self.kernels:
                    self.run(gpu, code, kernel, threads)
        print("%d runs of %d kernels, %d wrong" % (self.runs, len(self.kernels), self.failures))
        return 1 if self.failures else 0


def main():
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--softgpu-run", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--rounds", type=int,
                        default=int(os.environ.get("KPACK_TEST_LITMUS_ROUNDS", "800")))
    parser.add_argument("--threads", default=os.environ.get("KPACK_TEST_LITMUS_WORKERS", "2"))
    parser.add_argument("--kernels", default="")
    parser.add_argument("--gpus", default=GPUS)
    parser.add_argument("--verbose", action="store_true")
    return Litmus(parser.parse_args(sys.argv[1:split]), sys.argv[split + 1:]).all()


if __name__ == "__main__":
    sys.exit(main())
