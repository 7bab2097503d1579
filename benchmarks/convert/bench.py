#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What converting linked binaries costs. Called by scripts/bench convert."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
TARGETS = ("gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030", "gfx1100", "gfx1101", "gfx1201")
ROCRAND = "/usr/lib/x86_64-linux-gnu/librocrand.so.1"
UNITS = 8


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
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    args = parser.parse_args()
    if args.rounds < 1:
        parser.exit(1, "bench: error: --rounds: at least 1\n")
    return args


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def compile_device(args, folder, target):
    """One code object with debug information, and as many like it as there are units."""
    tool = lambda name: os.path.join(args.llvm, "bin", name)
    code = os.path.join(folder, target + ".co")
    run(tool("clang++"), "-x", "hip", "--offload-arch=" + target, "-O3", "-g", "-gz=none", "-nogpulib", "-nogpuinc",
        "--offload-device-only", "--no-gpu-bundle-output", os.path.join(folder, "large.hip"), "-o", code)
    for unit in range(2 if args.quick else UNITS):
        note = os.path.join(folder, "note")
        with open(note, "w") as file:
            file.write("unit %d" % unit)
        copy = "%s.%d" % (code, unit)
        run(tool("llvm-objcopy"), "--add-section", ".comment.unit=" + note, code, copy)
        yield copy


def make_library(args, folder):
    """A library with wrappers and bundles as clang writes them."""
    run(sys.executable, os.path.join(ROOT, "benchmarks/compile/generate.py"), folder)
    targets = TARGETS[:2] if args.quick else TARGETS
    codes = [list(compile_device(args, folder, target)) for target in targets]
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


def peak_of(process):
    """The most anonymous memory of a process, in bytes, as long as it runs."""
    peak = 0
    while process.poll() is None:
        try:
            with open("/proc/%d/status" % process.pid) as file:
                for line in file:
                    if line.startswith("RssAnon:"):
                        peak = max(peak, int(line.split()[1]) * 1024)
        except OSError:
            pass
        time.sleep(0.002)
    return peak


def code_objects(args, library):
    """Offsets and sizes in the file of what is compressed, in their order."""
    listed = run(os.path.join(args.build, "bin", "kpack"), "inspect", "--json", library, stdout=subprocess.PIPE).stdout
    with open(library, "rb") as file:
        content = file.read()
    for part in json.loads(listed)["files"][0]["containers"]:
        if part["kind"] != "bundle":
            sys.exit("bench: error: %s: has a %s; only plain bundles can be compared" % (library, part["kind"]))
        start = part["offset"]
        at = start + 32
        for _ in range(int.from_bytes(content[start + 24:start + 32], "little")):
            offset, size, length = (int.from_bytes(content[at + 8 * i:at + 8 * i + 8], "little") for i in range(3))
            at += 24 + length
            if size:
                yield start + offset, size


def measure(args, library, folder):
    ranges = sorted(code_objects(args, library))
    told = "".join("%d %d\n" % r for r in ranges)
    out = os.path.join(folder, "out")
    rows = {"raw": [], "convert": []}
    peak = 0
    for _ in range(1 if args.quick else args.rounds):
        start = time.monotonic()
        stored = run(os.path.join(args.build, "bin", "raw-zstd"), library, os.path.join(folder, "raw"), input=told,
                     text=True, stdout=subprocess.PIPE).stdout
        rows["raw"].append(time.monotonic() - start)
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        start = time.monotonic()
        process = subprocess.Popen([os.path.join(args.build, "bin", "kpack"), "convert", "-q", library, "-o",
                                    os.path.join(out, "converted")])
        watcher = threading.Thread(target=lambda: seen.append(peak_of(process)))
        seen = []
        watcher.start()
        if process.wait():
            sys.exit(1)
        rows["convert"].append(time.monotonic() - start)
        watcher.join()
        peak = max(peak, seen[0])
    archives = sum(entry.stat().st_size for entry in os.scandir(os.path.join(out, ".kpack")))
    return {"file": os.path.basename(library), "bytes": os.path.getsize(library), "code_objects": len(ranges),
            "device_bytes": sum(size for _, size in ranges), "largest": max(size for _, size in ranges),
            "host_bytes": os.path.getsize(os.path.join(out, "converted")), "archive_bytes": archives,
            "frame_bytes": int(stored), "raw_s": statistics.median(rows["raw"]),
            "convert_s": statistics.median(rows["convert"]), "raw_best_s": min(rows["raw"]),
            "convert_best_s": min(rows["convert"]), "anonymous_peak": peak}


def report(row):
    print("%(file)s: %(bytes)d bytes, %(code_objects)d code objects of %(device_bytes)d bytes" % row)
    print("  %-34s %9.3f s" % ("raw zstd, read and written once", row["raw_s"]))
    print("  %-34s %9.3f s  %5.2f times (best of each: %.2f)" % (
        "kpack convert", row["convert_s"], row["convert_s"] / row["raw_s"], row["convert_best_s"] / row["raw_best_s"]))
    print("  %-34s %9d bytes, %d beside the device code's" % (
        "host-only", row["host_bytes"], row["host_bytes"] - (row["bytes"] - row["device_bytes"])))
    print("  %-34s %9d bytes, frames alone %d" % ("archives", row["archive_bytes"], row["frame_bytes"]))
    print("  %-34s %9d bytes, largest code object %d" % ("anonymous memory", row["anonymous_peak"], row["largest"]),
          flush=True)


def main():
    args = arguments()
    if args.check:
        return
    with tempfile.TemporaryDirectory(prefix="kpack-bench-") as folder:
        print("load at the start: %.1f, %d cores" % (os.getloadavg()[0], os.cpu_count()), flush=True)
        libraries = args.file or [make_library(args, folder)] + ([] if args.quick else [ROCRAND])
        rows = [measure(args, os.path.realpath(library), folder) for library in libraries]
        for row in rows:
            report(row)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"schema": "kpack.bench.convert/1", "rows": rows}, file, indent=2)


main()
