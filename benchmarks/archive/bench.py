#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What archives cost, with real code objects. Called by scripts/bench archive."""
import argparse
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
GPUS = ("gfx90a", "gfx942", "gfx1030", "gfx1100")
ROCRAND = "/usr/lib/x86_64-linux-gnu/librocrand.so.1"
BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
LARGE = 100_000_000  # bytes


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench archive")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--llvm", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true",
                        help="three rounds, and only kernels compiled here")
    parser.add_argument("--rounds", type=int, default=15, metavar="N",
                        help="how often each way is timed (15)")
    parser.add_argument("--object", action="append", default=[], metavar="FILE",
                        help="a code object of your own; may be repeated")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    args = parser.parse_args()
    if args.rounds < 1:
        parser.exit(1, "bench: error: --rounds: at least 1\n")
    return args


def compile_kernels(args, folder):
    """The kernels of the other benchmarks, for each target."""
    generate = os.path.join(ROOT, "benchmarks/compile/generate.py")
    subprocess.run([sys.executable, generate, folder], check=True)
    sources = [os.path.join(ROOT, "benchmarks/softgpu/kernels.hip"),
               os.path.join(folder, "small.hip"), os.path.join(folder, "large.hip")]
    if args.quick:
        sources = sources[:2]
    for gpu in GPUS:
        for source in sources:
            code = os.path.join(folder, "%s-%s.co" % (os.path.basename(source), gpu))
            subprocess.run(
                [os.path.join(args.llvm, "bin", "clang++"), "-x", "hip", "--offload-arch=" + gpu,
                 "-O3", "-nogpulib", "-nogpuinc", "-I", os.path.join(ROOT, "test/Inputs/hip"),
                 "--offload-device-only", "--no-gpu-bundle-output", source, "-o", code],
                check=True)
            yield code


def bundle_entries(fatbin):
    """The device code of an uncompressed fat binary."""
    at = fatbin.find(BUNDLE)
    while at >= 0:
        count, = struct.unpack_from("<Q", fatbin, at + 24)
        place, end = at + 32, at + 24
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", fatbin, place)
            place += 24 + length
            end = max(end, at + offset + size)
            if size:
                yield fatbin[at + offset:at + offset + size]
        at = fatbin.find(BUNDLE, end)


def rocrand_objects(args, folder):
    """Debian's, with debug information and without."""
    objcopy = os.path.join(args.llvm, "bin", "llvm-objcopy")
    section = os.path.join(folder, "fatbin")
    subprocess.run([objcopy, "--dump-section=.hip_fatbin=" + section, ROCRAND, "/dev/null"],
                   check=True)
    with open(section, "rb") as file:
        entries = list(bundle_entries(file.read()))
    for number, code in enumerate(entries):
        full = os.path.join(folder, "rocrand-%d.co" % number)
        with open(full, "wb") as file:
            file.write(code)
        bare = os.path.join(folder, "rocrand-bare-%d.co" % number)
        subprocess.run([objcopy, "--strip-debug", full, bare], check=True)
        yield full, bare


def large_object(objects, folder):
    """One of 100 MB: all of the others, again and again."""
    path = os.path.join(folder, "large.co")
    with open(path, "wb") as out:
        while out.tell() < LARGE:
            for code in objects:
                with open(code, "rb") as file:
                    out.write(file.read())
        out.truncate(LARGE)
    return path


def object_sets(args, folder):
    sets = {"kernels": list(compile_kernels(args, folder))}
    if args.object:
        sets["own"] = args.object
    if not args.quick:
        full, bare = zip(*rocrand_objects(args, folder))
        sets["rocrand"] = list(bare)
        sets["rocrand-debug"] = list(full)
        sets["large"] = [large_object(full, folder)]
    return sets


SET = re.compile(r"(\S+): (\d+) code objects, ([0-9.]+) MB, ([0-9.]+) times smaller$")
CLOCK = re.compile(r" ((?:warm|cold), .+)$")
ROW = re.compile(r"  (.+?) +(\d+) MB/s +([0-9.]+)$")


def rows_of(text):
    """The table as data, one row for each way of each set."""
    rows, name, clock = [], None, None
    for line in text.splitlines():
        if found := SET.match(line):
            name, ratio = found[1], float(found[4])
        elif found := CLOCK.match(line):
            clock = found[1]
        elif found := ROW.match(line):
            rows.append({"set": name, "compression": ratio, "state": clock, "way": found[1],
                         "mb_per_s": int(found[2]), "ratio": float(found[3])})
    return rows


def main():
    args = arguments()
    if args.check:
        return
    with tempfile.TemporaryDirectory(prefix="kpack-bench-") as folder:
        sets = ["%s=%s" % (name, code)
                for name, codes in object_sets(args, folder).items() for code in codes]
        rounds = 3 if args.quick else args.rounds
        bench = os.path.join(args.build, "bin", "archive-bench")
        print("load at the start: %.1f" % os.getloadavg()[0], flush=True)
        run = subprocess.Popen([bench, folder, str(rounds)] + sets, stdout=subprocess.PIPE,
                               text=True)
        text = ""
        for line in run.stdout:
            print(line, end="", flush=True)
            text += line
        if run.wait():
            sys.exit(1)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"schema": "kpack.bench.archive/1", "rows": rows_of(text)}, file, indent=2)


main()
