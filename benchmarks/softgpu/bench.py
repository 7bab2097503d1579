#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the emulated GPU is: on one core, over cores, and beside the emulator
of tinygrad. Called by scripts/bench softgpu."""
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
STATS = re.compile(r"(\d+) wave-instructions, (\d+) waves, ([\d.]+) s")
BLOCKS = 8
TARGET = 60.0  # million wave-instructions a second
# Arithmetic, work that shares a workgroup's memory, and work that needs the host's.
SCALED = ("integer", "lds", "stream")
# One block of it: tinygrad's ends a wave after a million instructions.
TINYGRAD_KERNELS = {"integer": 2000, "mul64": 2000, "fma32": 2000}
TINYGRAD_GPU = "gfx1100"  # what its emulator does best


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench softgpu")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--llvm", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, once")
    parser.add_argument("--gpus", default="gfx90a,gfx1100", help="comma-separated processors")
    parser.add_argument("--threads", metavar="N,N...", default=",".join(map(str, doubled(processors()))),
                        help="numbers of threads to compare; 1 is always among them")
    parser.add_argument("--tinygrad", metavar="CHECKOUT",
                        help="a checkout of tinygrad, whose emulator is measured too")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    args = parser.parse_args()
    try:
        args.threads = sorted({1, *map(int, args.threads.split(","))})
    except ValueError:
        parser.error("--threads %s: not numbers with commas between" % args.threads)
    if args.threads[0] < 1:
        parser.error("--threads: %d threads" % args.threads[0])
    if args.tinygrad and not os.path.exists(emulator_of(args.tinygrad)):
        parser.error("--tinygrad %s: no checkout of tinygrad with test/mockgpu/amd/emu.py" % args.tinygrad)
    return args


def emulator_of(checkout):
    return os.path.join(checkout, "test", "mockgpu", "amd", "emu.py")


def processors():
    return len(os.sched_getaffinity(0))


def doubled(most):
    """1, 2, 4... and 'most' itself."""
    numbers = [1 << power for power in range(most.bit_length()) if 1 << power < most]
    return numbers + [most]


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


def run_once(args, code, kernel, rounds, threads=1, blocks=BLOCKS):
    begin = user_time()
    run = subprocess.run(
        [os.path.join(args.build, "bin", "softgpu-run"), code, kernel, "--threads=%d" % threads,
         "--stats", "--grid=%d" % blocks, "--block=256", "--arg=zero:%d" % (1 << 20),
         "--arg=u32:%d" % rounds],
        capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr.strip())
    instructions, waves, wall = STATS.search(run.stderr).groups()
    return {"instructions": int(instructions), "waves": int(waves),
            "seconds": user_time() - begin, "wall": float(wall)}


def best_of(args, code, kernel, rounds, by, **how):
    runs = [run_once(args, code, kernel, rounds // (10 if args.quick else 1), **how)
            for _ in range(1 if args.quick else 3)]
    return min(runs, key=lambda run: run[by])


def measure(args, codes):
    print("%-8s %-8s %12s %8s %8s  target %g" %
          ("GPU", "kernel", "wave-instr.", "s", "M/s", TARGET))
    rows = []
    for gpu, code in codes.items():
        for kernel, rounds in KERNELS.items():
            best = best_of(args, code, kernel, rounds, "seconds")
            rate = best["instructions"] / max(best["seconds"], 1e-3) / 1e6
            rows.append({"gpu": gpu, "kernel": kernel, "rate": round(rate, 1), **best})
            print("%-8s %-8s %12d %8.3f %8.1f  %s"
                  % (gpu, kernel, best["instructions"], best["seconds"], rate,
                     "met" if rate >= TARGET else "missed"), flush=True)
    return rows


def measure_scaling(args, codes):
    """The same work by more threads: how many times faster than by one."""
    print("\n%-8s %-8s %8s %8s %8s  %d processors"
          % ("GPU", "kernel", "threads", "wall s", "times", processors()))
    rows = []
    # Four blocks a thread, so that the last ones do not leave most threads idle.
    blocks = max(BLOCKS, 4 * args.threads[-1])
    for gpu, code in codes.items():
        for kernel in SCALED:
            for threads in args.threads:
                wall = best_of(args, code, kernel, KERNELS[kernel] // 4, "wall",
                               threads=threads, blocks=blocks)["wall"]
                one = wall if threads == 1 else one
                rows.append({"gpu": gpu, "kernel": kernel, "threads": threads, "wall": wall,
                             "ratio": round(one / max(wall, 1e-3), 2)})
                print("%-8s %-8s %8d %8.3f %8.2f"
                      % (gpu, kernel, threads, wall, rows[-1]["ratio"]), flush=True)
    return rows


def measure_tinygrad(args, codes):
    """None: it is not there."""
    if not args.tinygrad or TINYGRAD_GPU not in codes:
        print("\ntinygrad's emulator: not present (%s)" % (
            "--gpus leaves out " + TINYGRAD_GPU if args.tinygrad
            else "--tinygrad=CHECKOUT measures it"))
        return None
    print("\n%-8s %-8s %12s %10s %10s  tinygrad's emulator"
          % ("GPU", "kernel", "wave-instr.", "s", "M/s"))
    here = os.path.dirname(os.path.abspath(__file__))
    rows = []
    for kernel, rounds in TINYGRAD_KERNELS.items():
        code = codes[TINYGRAD_GPU]
        count = run_once(args, code, kernel, rounds, blocks=1)["instructions"]
        run = subprocess.run(
            [sys.executable, os.path.join(here, "in_tinygrad.py"), args.tinygrad, code, kernel,
             str(rounds), "1"], stdout=subprocess.PIPE, text=True)
        if run.returncode:
            sys.exit("bench: error: %s: its emulator failed; see above" % args.tinygrad)
        seconds = float(run.stdout.split()[-1])
        rate = count / max(seconds, 1e-3) / 1e6
        rows.append({"gpu": TINYGRAD_GPU, "kernel": kernel, "rate": round(rate, 3),
                     "instructions": count, "seconds": seconds})
        print("%-8s %-8s %12d %10.3f %10.3f" % (TINYGRAD_GPU, kernel, count, seconds, rate),
              flush=True)
    return rows


def main():
    args = arguments()
    if args.check:
        return
    with tempfile.TemporaryDirectory() as folder:
        codes = {gpu: compile_kernels(args, gpu, folder) for gpu in args.gpus.split(",")}
        results = {"rows": measure(args, codes), "scaling": measure_scaling(args, codes),
                   "tinygrad": measure_tinygrad(args, codes)}
    if args.json:
        with open(args.json + ".tmp", "w", encoding="utf-8") as out:
            json.dump({"schema": "kpack.bench.softgpu/1", "processors": processors(), **results},
                      out, indent=1)
        os.replace(args.json + ".tmp", args.json)


main()
