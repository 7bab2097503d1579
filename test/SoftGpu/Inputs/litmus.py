#!/usr/bin/env python3
"""Runs litmus.hip on every emulated GPU and counts outcomes that its memory model forbids.

litmus.py --softgpu-run PROGRAM --source FILE --prefix PATH [--rounds N] [--threads LIST]
          [--kernels REGEX] [--gpus LIST] -- COMPILER FLAG...

A round has 64 threads on each side. Two agents run at the same time only where the host lets
them: with more than one worker and 10,000 rounds, one kernel of each GPU at least has to show
it. KPACK_TEST_LITMUS_ROUNDS and KPACK_TEST_LITMUS_WORKERS give the defaults, else 800 and 2.
Exit status 1, and a line for each kernel that had a forbidden outcome.
"""
import argparse
import os
import re
import struct
import subprocess
import sys

GPUS = "gfx90a,gfx942,gfx1030,gfx1100,gfx1201"
THREADS = 64
PAIRS = 16
CELL_BYTES = 384
LOOK_BACK_BLOCKS = 16


def shape(kernel, rounds):
    """Blocks, threads of a block, bytes of cells, rounds of a pair or look-back."""
    if kernel.startswith("look_back"):
        rounds //= LOOK_BACK_BLOCKS
        return LOOK_BACK_BLOCKS, THREADS, rounds * LOOK_BACK_BLOCKS * THREADS * 16, rounds
    cells = PAIRS * THREADS * CELL_BYTES
    if kernel.endswith("workgroup"):
        return PAIRS, 2 * THREADS, cells, rounds // PAIRS
    return 2 * PAIRS, THREADS, cells, rounds // PAIRS


def were_parallel(kernel, met):
    """Whether so many rounds met the other agent only if the two ran at the same time."""
    if kernel.startswith("store_buffering"):
        return met > 0
    return not kernel.startswith("look_back") and met > 4 * THREADS * PAIRS


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
        blocks, block, cells, rounds = shape(kernel, self.args.rounds)
        result = "%s.%s.result" % (self.args.prefix, gpu)
        run = subprocess.run([self.args.softgpu_run, code, kernel, "--grid=%d" % blocks, "--block=%d" % block,
                              "--threads=%d" % threads, "--arg=zero:%d" % cells,
                              "--arg=out:%s:8" % result, "--arg=u32:%d" % rounds],
                             capture_output=True, text=True)
        self.runs += 1
        where = "%s, %s, %d workers" % (gpu, kernel, threads)
        if run.returncode:
            self.fail(where, run.stderr.strip())
            return False
        with open(result, "rb") as f:
            forbidden, met = struct.unpack("<II", f.read())
        if self.args.verbose:
            print("%s: %d forbidden, %d met" % (where, forbidden, met))
        if forbidden:
            self.fail(where, "%d forbidden outcomes" % forbidden)
        return were_parallel(kernel, met)

    def fail(self, where, why):
        self.failures += 1
        print("%s: %s" % (where, why))

    def all(self):
        for gpu in self.args.gpus.split(","):
            code = self.compile(gpu)
            for threads in map(int, self.args.threads.split(",")):
                parallel = [self.run(gpu, code, kernel, threads) for kernel in self.kernels]
                if threads > 1 and self.args.rounds >= 10000 and not any(parallel):
                    self.fail("%s, %d workers" % (gpu, threads), "no two agents ran at the same time")
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
