#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What converting linked binaries costs. Called by scripts/bench convert."""
import argparse
import concurrent.futures
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import code_objects

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
sys.path.insert(0, os.path.join(ROOT, "benchmarks/compile"))
import generate
TARGETS = ("gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030", "gfx1100", "gfx1101", "gfx1201")
ROCRAND = "/usr/lib/x86_64-linux-gnu/librocrand.so.1"
UNITS = 8
# With these a code object has half a megabyte, and a library of 64 of them about 32.
SHAPES = generate.SHAPES + ((8, 2, 4), (2, 8, 4), (2, 4, 8))


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench convert")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--llvm", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="two targets, two units, one round")
    parser.add_argument("--rounds", type=int, default=7, metavar="N",
                        help="how often each way is timed (7)")
    parser.add_argument("--file", action="append", default=[], metavar="FILE",
                        help="a fat program or library of your own; may be repeated")
    parser.add_argument("--json", metavar="FILE", nargs="?", const="-",
                        help="write everything that was measured, without FILE to the output, and the text to stderr")
    args = parser.parse_args()
    if args.rounds < 1:
        parser.exit(1, "bench: error: --rounds: at least 1\n")
    return args


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def compile_device(args, folder, target):
    """One code object with debug information, and as many like it as there are units: each is compressed by
    itself, so that what is in another one makes no difference."""
    tool = lambda name: os.path.join(args.llvm, "bin", name)
    code = os.path.join(folder, target + ".co")
    run(tool("clang++"), "-x", "hip", "--offload-arch=" + target, "-O3", "-g", "-gz=none", "-nogpulib", "-nogpuinc",
        "--offload-device-only", "--no-gpu-bundle-output", os.path.join(folder, "large.hip"), "-o", code)
    for unit in range(2 if args.quick else UNITS):
        copy = "%s.%d" % (code, unit)
        note = copy + ".note"
        with open(note, "w") as file:
            file.write("unit %d" % unit)
        run(tool("llvm-objcopy"), "--add-section", ".comment.unit=" + note, code, copy)
        yield copy


def make_library(args, folder):
    """A library with wrappers and bundles as clang writes them."""
    with open(os.path.join(folder, "large.hip"), "w") as file:
        file.write(generate.HEADER + (generate.large() if args.quick else generate.large(SHAPES)))
    targets = TARGETS[:2] if args.quick else TARGETS
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        codes = list(pool.map(lambda target: list(compile_device(args, folder, target)), targets))
    lines = []
    for unit, members in enumerate(zip(*codes)):
        bundle = os.path.join(folder, "bundle%d" % unit)
        names = ["host-x86_64-unknown-linux-gnu-"] + ["hipv4-amdgcn-amd-amdhsa--" + t for t in targets]
        run(os.path.join(args.llvm, "bin", "clang-offload-bundler"), "-type=o", "-bundle-align=4096",
            "-targets=" + ",".join(names), "-input=/dev/null", *("-input=" + m for m in members),
            "-output=" + bundle)
        lines += [".section .hip_fatbin,\"a\",@progbits", ".p2align 12", "fat%d:" % unit, ".incbin \"%s\"" % bundle,
                  ".section .hipFatBinSegment,\"aw\",@progbits", ".p2align 3", ".long 0x48495046", ".long 1",
                  ".quad fat%d" % unit, ".quad 0"]
    source = os.path.join(folder, "fat.s")
    with open(source, "w") as file:
        file.write("\n".join(lines + [".section .note.GNU-stack,\"\",@progbits", ""]))
    library = os.path.join(folder, "generated.so")
    run(os.path.join(args.llvm, "bin", "clang"), "-shared", "-nostdlib", "-fuse-ld=lld", "-Wl,--build-id", source,
        "-o", library)
    return library


def timed(command, told=""):
    """Seconds, CPU seconds and the most anonymous memory of a process, and what it printed."""
    start = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)
    process.stdin.write(told)
    process.stdin.close()
    # As a thread, so that the clock is stopped when the process ends.
    seen = []
    watcher = threading.Thread(target=lambda: seen.append(peak_of(process.pid)))
    watcher.start()
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(1)
    watcher.join()
    return {"s": seconds, "cpu": usage.ru_utime + usage.ru_stime, "peak": seen[0], "printed": printed}


def peak_of(pid):
    """The most anonymous memory of a process, in bytes, as long as it runs."""
    peak = 0
    while True:
        try:
            with open("/proc/%d/status" % pid) as file:
                lines = [line for line in file if line.startswith("RssAnon:")]
        except OSError:
            lines = []
        if not lines:  # it has ended
            return peak
        peak = max(peak, int(lines[0].split()[1]) * 1024)
        time.sleep(0.002)


def memory_limit(largest):
    """For each core one code object and its compressed form, and 64 MiB."""
    return os.cpu_count() * 2 * largest + (64 << 20)


def measure(args, library, folder):
    kpack = os.path.join(args.build, "bin", "kpack")
    try:
        ranges = code_objects.code_objects(kpack, library)
    except ValueError as error:
        sys.exit("bench: error: %s: %s" % (library, error))
    told = code_objects.lines_of(ranges)
    out = os.path.join(folder, "out")
    rows = {"raw": [], "convert": []}
    for _ in range(1 if args.quick else args.rounds):
        rows["raw"].append(timed([os.path.join(args.build, "bin", "raw-zstd"), library,
                                  os.path.join(folder, "raw")], told))
        os.remove(os.path.join(folder, "raw"))
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        rows["convert"].append(timed([kpack, "convert", "-q", library, "-o", os.path.join(out, "converted")]))
    archives = sum(entry.stat().st_size for entry in os.scandir(os.path.join(out, ".kpack")))
    result = {"file": os.path.basename(library), "bytes": os.path.getsize(library), "code_objects": len(ranges),
              "device_bytes": sum(size for _, size in ranges), "largest": max(size for _, size in ranges),
              "host_bytes": os.path.getsize(os.path.join(out, "converted")), "archive_bytes": archives,
              "frame_bytes": int(rows["raw"][-1]["printed"]),
              "anonymous_peak": max(one["peak"] for one in rows["convert"])}
    result["anonymous_limit"] = memory_limit(result["largest"])
    for way, measured in rows.items():
        result[way + "_s"] = statistics.median(one["s"] for one in measured)
        result[way + "_best_s"] = min(one["s"] for one in measured)
        result[way + "_cpu_s"] = statistics.median(one["cpu"] for one in measured)
    return result


def report(row):
    print("%(file)s: %(bytes)d bytes, %(code_objects)d code objects of %(device_bytes)d bytes" % row)
    print("  %-34s %9.3f s  %9.3f s of CPU" % ("raw zstd, read and written once", row["raw_s"], row["raw_cpu_s"]))
    print("  %-34s %9.3f s  %9.3f s of CPU" % ("kpack convert", row["convert_s"], row["convert_cpu_s"]))
    print("  %-34s %9.2f times, of CPU %.2f (best of each: %.2f)" % (
        "against raw zstd", row["convert_s"] / row["raw_s"], row["convert_cpu_s"] / row["raw_cpu_s"],
        row["convert_best_s"] / row["raw_best_s"]))
    print("  %-34s %9d bytes, %d beside the device code's" % (
        "host-only", row["host_bytes"], row["host_bytes"] - (row["bytes"] - row["device_bytes"])))
    print("  %-34s %9d bytes, frames alone %d" % ("archives", row["archive_bytes"], row["frame_bytes"]))
    print("  %-34s %9d bytes of %d, largest code object %d" % (
        "anonymous memory", row["anonymous_peak"], row["anonymous_limit"], row["largest"]), flush=True)


def main():
    args = arguments()
    if args.check:
        return
    results = sys.stdout
    if args.json == "-":
        sys.stdout = sys.stderr
    with tempfile.TemporaryDirectory(prefix="kpack-bench-") as folder:
        print("load at the start: %.1f, %d cores" % (os.getloadavg()[0], os.cpu_count()), flush=True)
        libraries = args.file or [make_library(args, folder)] + ([] if args.quick else [ROCRAND])
        rows = [measure(args, os.path.realpath(library), folder) for library in libraries]
        for row in rows:
            report(row)
    document = json.dumps({"schema": "kpack.bench.convert/1", "rows": rows}, indent=2)
    if args.json == "-":
        print(document, file=results)
    elif args.json:
        with open(args.json, "w") as file:
            file.write(document)


main()
