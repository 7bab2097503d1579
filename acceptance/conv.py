# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of the convolution builder that take too long for the test suite:

  conv.py --build=DIR --source=DIR [--seed=N] [--share=PERCENT] [--part=NAME,...]

Each part prints its seed and the processor seconds that it took, those of compilers
with it. The last line is "N passed, M failed". --share=10 runs a tenth of the counts.
"""
import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

# Part: how many cases, what it is, the row of acceptance.
PARTS = {
    "texts": (1_000_000, "values to texts, JSON and notes, and back", "11"),
    "digest": (1_000_000, "texts and hashes of clang++ and g++ are the same", "11"),
    "constant": (1_000, "texts of constants are those of programs, in clang++ and g++", "11"),
    "compiles": (2_000, "accepted algorithms compile and fit", "15"),
    "refusals": (500, "refused algorithms fail if they are tried", "16"),
    "faults": (200, "faults in kernels are noticed", "V7"),
}

COMPILERS = ("clang++-22", "g++-12")


class Runner:
    """Runs parts in the folder of a build."""

    def __init__(self, source, build, seed):
        self.source, self.build, self.seed = source, build, seed
        self.tests = os.path.join(build, "unittests", "ConvBuilder")

    def run(self, part, count):
        """Whether its bound holds."""
        own = {"digest": self.digest, "constant": self.constant}.get(part)
        return own(count) if own else self.call(
            [os.path.join(self.tests, "conv-accept"), part, str(self.seed), str(count)])

    @staticmethod
    def call(command, stdout=None):
        return subprocess.run(command, stdout=stdout, check=False).returncode == 0

    def compile(self, compiler, *words):
        return self.call([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror",
                          "-I", os.path.join(self.source, "include"),
                          "-I", os.path.join(self.source, "unittests", "ConvBuilder"), *words])

    def digest(self, count):
        """One digest of all texts, by a program of each compiler."""
        said = {}
        with tempfile.TemporaryDirectory() as folder:
            for compiler in COMPILERS:
                program = os.path.join(folder, compiler)
                if not self.compile(compiler, "-O2", os.path.join(self.source, "unittests", "ConvBuilder",
                                                                  "TextDigest.cpp"), "-o", program):
                    return False
                said[compiler] = subprocess.run([program, str(self.seed), str(count)], check=True, text=True,
                                                stdout=subprocess.PIPE).stdout.strip()
        print("row 11, digest of %d each: %s" % (count, ", ".join("%s %s" % pair for pair in said.items())))
        return len(set(said.values())) == 1

    def constant(self, count):
        """Values as C++, whose texts the compiler makes, beside texts of a program. In
        pieces: compilers keep what they have computed."""
        piece = 100
        for first in range(0, count, piece):
            with tempfile.TemporaryDirectory() as folder:
                text = os.path.join(folder, "values.cpp")
                with open(text, "w", encoding="utf-8") as file:
                    if not self.call([os.path.join(self.tests, "conv-cxx-texts"), str(self.seed + first),
                                      str(min(piece, count - first))], stdout=file):
                        return False
                for compiler in COMPILERS:
                    if not self.compile(compiler, "-fsyntax-only", text):
                        return False
        print("row 11, constants: %d of each, %s" % (count, " and ".join(COMPILERS)))
        return True


def children():
    """Processor seconds of processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--version", default="", help="what is tested, for the first line")
    parser.add_argument("--seed", type=int, help="without one, a new one, which is printed")
    parser.add_argument("--share", type=float, default=100, help="percent of the cases")
    parser.add_argument("--part", default=",".join(PARTS), help="of " + ", ".join(PARTS))
    args = parser.parse_args()
    parts = args.part.split(",")
    for part in parts:
        if part not in PARTS:
            parser.error("--part=%s: no such part; there are %s" % (part, ", ".join(PARTS)))
    seed = random.SystemRandom().randrange(1, 1 << 31) if args.seed is None else args.seed
    print("convolution builder %s, seed %d, %g %% of the cases" % (args.version, seed, args.share), flush=True)
    runner = Runner(args.source, args.build, seed)
    passed = failed = 0
    for part in parts:
        cases, what, row = PARTS[part]
        count = max(1, round(cases * args.share / 100))
        print("==> %s (row %s): %s, %d cases" % (part, row, what, count), flush=True)
        before, start = children(), time.monotonic()
        holds = runner.run(part, count)
        passed, failed = passed + holds, failed + (not holds)
        print("==> %s: %s, seed %d, %.0f CPU-s, %.0f s" % (
            part, "holds" if holds else "DOES NOT HOLD", seed, children() - before, time.monotonic() - start),
              flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
