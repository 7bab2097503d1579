#!/usr/bin/env python3
"""Random kernels (random-kernels.py), each by the CPU and by every emulated GPU, at -O0 and -O2.

run-random.py --softgpu-run PROGRAM --clang PROGRAM --kernels N --work DIR -- DEVICE-COMPILER FLAG...

KPACK_TEST_SEEDS names the seeds, as "7" or "1-50"; default: 1. A seed that fails leaves DIR/SEED.hip,
and its name is printed with what run-kernels.py says.
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# The CPU has no f16: each operation is done in f32 and rounded, which is exact; not whole expressions.
HOST = ["-x", "c++", "-std=c++20", "-O1", "-w", "-ffp-contract=off", "-Xclang", "-ffloat16-excess-precision=none",
        "-I", HERE]


def run_seed(args, seed):
    prefix = os.path.join(args.work, str(seed))
    with open(prefix + ".hip", "w") as f:
        subprocess.run([sys.executable, os.path.join(HERE, "random-kernels.py"), str(seed), str(args.kernels)],
                       check=True, stdout=f)
    subprocess.run([args.clang, *HOST, prefix + ".hip", "-o", prefix + ".host"], check=True)
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, "run-kernels.py"), "--levels=02", "--host", prefix + ".host",
         "--softgpu-run", args.softgpu_run, "--source", prefix + ".hip", "--prefix", prefix, "--",
         *args.compiler, "-w", "-I", HERE], capture_output=True, text=True)
    if done.returncode == 0:
        return True
    print("seed %d: %s%s" % (seed, done.stdout, done.stderr))
    return False


def main():
    parser = argparse.ArgumentParser()
    for name in ("softgpu-run", "clang", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--kernels", type=int, required=True)
    parser.add_argument("compiler", nargs="+")
    args = parser.parse_args()
    first, _, last = os.environ.get("KPACK_TEST_SEEDS", "1").partition("-")
    results = [run_seed(args, seed) for seed in range(int(first), int(last or first) + 1)]
    print("%d of %d seeds agree" % (sum(results), len(results)))
    return 0 if all(results) else 1


sys.exit(main())
