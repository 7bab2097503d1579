#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the emulated GPU is on one core. Called by scripts/bench softgpu."""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

# Rounds that take about a second or less.
KERNELS = {"integer": 160000, "mul64": 60000, "fma32": 300000, "f64": 100000, "div32": 20000, "lds": 60000,
           "stream": 120000, "gather": 100000}
STATS = re.compile(r"(\d+) wave-instructions, (\d+) waves")
BLOCKS = 8
TARGET = 60.0  # million wave-instructions a second


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench softgpu")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--llvm", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, once")
    parser.add_argument("--gpus", default="gfx90a,gfx1100", help="comma-separated processors")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    return parser.parse_args()


def compile_kernels(args, gpu, folder):
    here = os.path.dirname(os.path.abspath(__file__))
    code = os.path.join(folder, gpu + ".co")
    subprocess.run(
        [os.path.join(args.llvm, "bin", "clang++"), "-x", "hip", "--offload-arch=" + gpu, "-O2",
         "-nogpulib", "-nogpuinc", "-I", os.path.join(here, "../../test/Inputs/hip"),
         "--offload-device-only", "--no-gpu-bundle-output",
         os.path.join(here, "kernels.hip"), "-o", code], check=True)
    return code


def user_time():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def run_once(args, code, kernel, rounds):
    begin = user_time()
    run = subprocess.run(
        [os.path.join(args.build, "bin", "softgpu-run"), code, kernel, "--threads=1", "--stats",
         "--grid=%d" % BLOCKS, "--block=256", "--arg=zero:%d" % (1 << 20), "--arg=u32:%d" % rounds],
        capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr.strip())
    instructions, waves = STATS.search(run.stderr).groups()
    return {"instructions": int(instructions), "waves": int(waves), "seconds": user_time() - begin}


def measure(args, folder):
    rows = []
    for gpu in args.gpus.split(","):
        code = compile_kernels(args, gpu, folder)
        for kernel, rounds in KERNELS.items():
            runs = [run_once(args, code, kernel, rounds // (10 if args.quick else 1))
                    for _ in range(1 if args.quick else 3)]
            best = min(runs, key=lambda run: run["seconds"])
            rate = best["instructions"] / max(best["seconds"], 1e-3) / 1e6
            rows.append({"gpu": gpu, "kernel": kernel, "rate": round(rate, 1), **best})
            print("%-8s %-8s %12d %8.3f %8.1f  %s"
                  % (gpu, kernel, best["instructions"], best["seconds"], rate,
                     "met" if rate >= TARGET else "missed"), flush=True)
    return rows


def main():
    args = arguments()
    if args.check:
        return
    print("%-8s %-8s %12s %8s %8s  target %g" %
          ("GPU", "kernel", "wave-instr.", "s", "M/s", TARGET))
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(args, folder)
    if args.json:
        with open(args.json + ".tmp", "w", encoding="utf-8") as out:
            json.dump({"schema": "kpack.bench.softgpu/1", "rows": rows}, out, indent=1)
        os.replace(args.json + ".tmp", args.json)


main()
