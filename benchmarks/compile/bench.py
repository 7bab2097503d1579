#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile benchmark behind `scripts/bench compile`.

Builds the same program in four ways, interleaved, so that other load on the
machine hits all of them alike:

    stock       clang++, a fat binary
    kpack       kpack-clang++ --emit-kpack
    new driver  clang++ --offload-new-driver --offload-jobs=2, a fat binary
    host        clang++ --offload-host-only, linked with a marker: sizes only

Wall time is a monotonic clock around the build; CPU time is what wait4() says
of the build and all its processes. Bytes written are counted in one further,
untimed build of each kind under strace, which turns every removal of a file
into nothing: what is in the private directory afterwards (TMPDIR is in it) is
all that was ever written, temporary files included. The same directory tells
whether a fat binary was among it. docs/evidence/bench.md explains the table.
"""
import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import generate  # noqa: E402

ARCHS = ["gfx1100", "gfx90a", "gfx1030", "gfx942", "gfx1201", "gfx908", "gfx1101", "gfx1010"]
# Wall time of kpack as a share of stock that is aimed at, by (source, archs).
WALL_TARGETS = {("large", 1): 0.95, ("large", 8): 0.60}
SMALL_TARGET = 1.10
HOST_SIZE_TARGET = 0.02
FLAGS = ["-x", "hip", "-O2", "-std=c++17", "-nogpulib", "-nogpuinc"]
# What a fat binary looks like on disk: a bundle, a compressed one, or the magic
# of a wrapper that points to one.
BUNDLE_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
COMPRESSED_MAGIC = b"CCOB"
FAT_WRAPPER = re.compile(rb"FPIH\x01\x00\x00\x00")


class Benchmark:
    def __init__(self, args, work):
        self.work = work
        self.sources = os.path.join(work, "src")
        self.clang = os.path.join(args.llvm, "bin", "clang++")
        self.kpack_clang = os.path.join(args.build, "bin", "kpack-clang++")
        self.kpack = os.path.join(args.build, "bin", "kpack")
        self.llvm = args.llvm
        self.environment = dict(os.environ, CCACHE_DISABLE="1", LC_ALL="C")
        self.environment.pop("HIP_CLANG_PATH", None)
        os.makedirs(self.sources)
        generate.write(self.sources)
        self.runtime = os.path.join(self.sources, "libhipstub.so")
        subprocess.run(
            [self.clang, "-shared", "-fPIC", "-fuse-ld=lld", "-o", self.runtime,
             os.path.join(HERE, "Runtime.cpp")],
            check=True,
        )
        # The first start of a tool reads it from the disk: not what is measured.
        for kind in ("stock", "kpack", "new driver"):
            self.build(kind, "small", 1)

    def command(self, kind, source, archs):
        """Command line of one build; every path is relative to its directory."""
        head = {
            "stock": [self.clang],
            "new driver": [self.clang, "--offload-new-driver", "--offload-jobs=2"],
            "kpack": [self.kpack_clang, "--emit-kpack=out.kpack"],
        }[kind]
        arch_flags = ["--offload-arch=" + arch for arch in ARCHS[:archs]]
        return (
            head + FLAGS + arch_flags
            + [os.path.join(self.sources, source + ".hip"), "-o", "out"]
            + ["-x", "none", self.runtime, "-no-hip-rt", "-fuse-ld=lld"]
        )

    def run(self, command, directory):
        """Wall and CPU seconds of a command that must succeed."""
        environment = dict(self.environment, TMPDIR=os.path.join(directory, "tmp"))
        os.makedirs(environment["TMPDIR"], exist_ok=True)
        log_path = os.path.join(self.work, "log")
        with open(log_path, "wb") as log:
            start = time.monotonic()
            process = subprocess.Popen(
                command, cwd=directory, env=environment, stdout=log, stderr=log
            )
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            with open(log_path, errors="replace") as log:
                sys.stderr.write(log.read())
            sys.exit("bench: error: %s: exit status %d" % (" ".join(command), process.returncode))
        return wall, usage.ru_utime + usage.ru_stime

    def fresh(self, name):
        directory = os.path.join(self.work, name.replace(" ", "-"))
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        return directory

    def build(self, kind, source, archs):
        """One timed build: seconds, and the sizes of what it leaves."""
        directory = self.fresh(kind)
        wall, cpu = self.run(self.command(kind, source, archs), directory)
        sizes = {name: os.path.getsize(os.path.join(directory, name))
                 for name in ("out", "out.kpack")
                 if os.path.exists(os.path.join(directory, name))}
        left = os.listdir(os.path.join(directory, "tmp"))
        return {"wall": wall, "cpu": cpu, "sizes": sizes, "left_in_tmp": left}

    def written(self, kind, source, archs):
        """Bytes that a build writes to files, and traces of fat binaries."""
        directory = self.fresh("traced")
        trace = os.path.join(self.work, "trace")
        self.run(
            ["strace", "-f", "-qq", "-o", trace, "-e", "trace=openat,creat,unlink,unlinkat,rmdir",
             "-e", "inject=unlink,unlinkat,rmdir:retval=0"]
            + self.command(kind, source, archs),
            directory,
        )
        total, fat = 0, []
        for parent, _, names in os.walk(directory):
            for name in names:
                path = os.path.join(parent, name)
                with open(path, "rb") as file:
                    data = file.read()
                total += len(data)
                # A bundle of a relocatable host compile begins the file or a
                # section; a compressed one begins a file.
                if BUNDLE_MAGIC in data or data.startswith(COMPRESSED_MAGIC) or FAT_WRAPPER.search(data):
                    fat.append(os.path.relpath(path, directory))
        return {"bytes": total, "fat": fat, "elsewhere": written_elsewhere(trace, directory)}

    def host_only_size(self, source):
        """Size of the host part linked with the marker that kpack wrote."""
        directory = self.fresh("host")
        self.run(self.command("kpack", source, 1), directory)
        objcopy = os.path.join(self.llvm, "bin", "llvm-objcopy")
        host = os.path.join(directory, "host.o")
        marker = os.path.join(directory, "marker.bin")
        subprocess.run([objcopy, "--dump-section", ".rocm_kpack_ref=" + marker, "out", "copy"],
                       cwd=directory, check=True)
        self.run([self.clang] + FLAGS + ["--offload-arch=" + ARCHS[0], "--offload-host-only", "-c",
                 os.path.join(self.sources, source + ".hip"), "-o", host], directory)
        symbols = subprocess.run([os.path.join(self.llvm, "bin", "llvm-nm"), "-u", host],
                                 capture_output=True, text=True, check=True).stdout
        name = re.search(r"__hip_fatbin_[0-9a-f]+", symbols).group(0)
        assembly = os.path.join(directory, "marker.s")
        with open(assembly, "w") as file:
            file.write('.section .rocm_kpack_ref,"a",@progbits\n.balign 8\n.globl %s\n'
                       '.hidden %s\n%s:\n.incbin "%s"\n' % (name, name, name, marker))
        self.run([self.clang, "-fuse-ld=lld", host, assembly, self.runtime, "-o", "reference"],
                 directory)
        return {
            "kpack": os.path.getsize(os.path.join(directory, "out")),
            "reference": os.path.getsize(os.path.join(directory, "reference")),
        }


def written_elsewhere(trace, directory):
    """Files outside the private directory that were opened for writing."""
    found = set()
    opened = re.compile(r'(?:openat\([^,]*, |creat\()"([^"]*)", ?([A-Z_|0-9]*)')
    with open(trace, errors="replace") as file:
        for line in file:
            match = opened.search(line)
            if not match or ") = -1" in line:
                continue
            path, flags = match.groups()
            if "O_WRONLY" not in flags and "O_RDWR" not in flags and "creat(" not in line:
                continue
            absolute = os.path.normpath(os.path.join(directory, path))
            if not absolute.startswith((directory, "/dev/", "/proc/")):
                found.add(absolute)
    return sorted(found)


def measure(bench, source, archs, pairs, trace):
    """All pairs of one row: every kind in turn, then the next pair."""
    kinds = ["stock", "kpack", "new driver"]
    samples = {kind: [] for kind in kinds}
    for pair in range(pairs):
        # Every other pair in the opposite order: no kind is always the first.
        for kind in kinds if pair % 2 == 0 else reversed(kinds):
            samples[kind].append(bench.build(kind, source, archs))
    row = {"source": source, "archs": archs, "pairs": pairs}
    for kind in kinds:
        walls = [sample["wall"] for sample in samples[kind]]
        row[kind] = {
            "wall_best": min(walls),
            "wall_median": statistics.median(walls),
            "cpu_best": min(sample["cpu"] for sample in samples[kind]),
            "sizes": samples[kind][0]["sizes"],
            "left_in_tmp": samples[kind][0]["left_in_tmp"],
            "written": bench.written(kind, source, archs) if trace else None,
        }
    for kind in ("kpack", "new driver"):
        ratios = [ours["wall"] / stock["wall"]
                  for ours, stock in zip(samples[kind], samples["stock"])]
        row[kind]["ratio_best"] = row[kind]["wall_best"] / row["stock"]["wall_best"]
        row[kind]["ratio_median"] = statistics.median(ratios)
        row[kind]["cpu_ratio"] = row[kind]["cpu_best"] / row["stock"]["cpu_best"]
    row["target"] = SMALL_TARGET if source == "small" else WALL_TARGETS.get((source, archs))
    return row


def machine(bench):
    model = ""
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    version = subprocess.run([bench.clang, "--version"], capture_output=True, text=True).stdout
    return {
        "cpu": model,
        "cpus": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "clang": version.splitlines()[0],
        "load": os.getloadavg()[0],
    }


def verdict(value, target):
    if target is None:
        return ""
    return "%s %.2f" % ("meets" if value <= target else "misses", target)


def written_text(entry):
    return "%d" % entry["written"]["bytes"] if entry["written"] else "-"


def print_tables(result):
    m = result["machine"]
    print("\n%s, %d CPUs, Linux %s, load %.1f at the start" % (m["cpu"], m["cpus"], m["kernel"], m["load"]))
    print(m["clang"])
    print("\nWall time in seconds, best of the pairs; ratios to the stock fat build")
    print("%-6s %5s %8s %8s %8s | %6s %7s %6s  %-12s| %6s %7s" % (
        "source", "archs", "stock", "kpack", "new drv", "kpack", "median", "CPU", "target", "newdrv", "median"))
    for row in result["rows"]:
        ours, new = row["kpack"], row["new driver"]
        print("%-6s %5d %8.3f %8.3f %8.3f | %6.2f %7.2f %6.2f  %-12s| %6.2f %7.2f" % (
            row["source"], row["archs"], row["stock"]["wall_best"], ours["wall_best"], new["wall_best"],
            ours["ratio_best"], ours["ratio_median"], ours["cpu_ratio"],
            verdict(ours["ratio_best"], row["target"]), new["ratio_best"], new["ratio_median"]))
    print("\nBytes: written by the whole build, and what it leaves")
    print("%-6s %5s | %10s %10s %10s | %10s %10s %10s" % (
        "source", "archs", "wr. stock", "wr. kpack", "wr. newdrv", "fat", "host-only", "archive"))
    for row in result["rows"]:
        print("%-6s %5d | %10s %10s %10s | %10d %10d %10d" % (
            row["source"], row["archs"], *(written_text(row[kind]) for kind in ("stock", "kpack", "new driver")),
            row["stock"]["sizes"]["out"], row["kpack"]["sizes"]["out"], row["kpack"]["sizes"]["out.kpack"]))
    print("\nHost-only size against --offload-host-only with the same marker (target: within 2 %)")
    for source, sizes in result["host_only"].items():
        excess = sizes["kpack"] / sizes["reference"] - 1
        print("%-6s %10d against %10d  %+.2f %%  %s" % (
            source, sizes["kpack"], sizes["reference"], 100 * excess,
            "meets" if excess <= HOST_SIZE_TARGET else "misses"))
    print()
    print(fat_text(result["rows"]))


def fat_text(rows):
    """One sentence on fat binaries in the kpack builds."""
    traced = [row["kpack"]["written"] for row in rows if row["kpack"]["written"]]
    if not traced:
        return "Fat binaries: not looked for (strace cannot trace here)"
    found = sorted({name for entry in traced for name in entry["fat"] + entry["elsewhere"]})
    if found:
        return "Fat binaries: misses; found in or written out of sight: " + ", ".join(found)
    # The control: the same search must find them in a stock build.
    stock = sum(len(row["stock"]["written"]["fat"]) for row in rows if row["stock"]["written"])
    return ("Fat binaries: none in %d kpack builds, temporary files included "
            "(the same search finds %d files in the stock builds)" % (len(traced), stock))


def can_trace():
    """Whether strace may trace here (containers often forbid it)."""
    probe = subprocess.run(["strace", "-f", "-qq", "-e", "trace=none", "true"], capture_output=True)
    return probe.returncode == 0


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/bench compile",
        description="Time, bytes and sizes of stock fat builds and of --emit-kpack, side by side.")
    parser.add_argument("--quick", action="store_true",
                        help="1 and 2 architectures and 2 pairs: a look, not a measurement")
    parser.add_argument("--archs", metavar="N,...", help="numbers of architectures (default 1,2,4,8)")
    parser.add_argument("--sources", metavar="NAME,...", default="small,large",
                        help="which programs (default small,large)")
    parser.add_argument("--pairs", type=int, metavar="N", help="pairs of builds for each row (default 5)")
    parser.add_argument("--json", metavar="FILE", help="also write everything that was measured")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--llvm", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    default_archs = "1,2" if args.quick else "1,2,4,8"
    try:
        args.archs = [int(text) for text in (args.archs or default_archs).split(",")]
    except ValueError:
        parser.error("--archs: %s: not a list of numbers" % args.archs)
    if not all(1 <= count <= len(ARCHS) for count in args.archs):
        parser.error("--archs: only 1 to %d architectures" % len(ARCHS))
    args.sources = args.sources.split(",")
    for source in args.sources:
        if source not in ("small", "large"):
            parser.error("--sources: %s: there are only small and large" % source)
    if args.pairs is None:
        args.pairs = 2 if args.quick else 5
    if args.pairs < 1:
        parser.error("--pairs: at least 1")
    return args


def main(argv):
    args = parse(argv)
    if args.check:
        return
    work = tempfile.mkdtemp(prefix="kpack-bench-")
    try:
        bench = Benchmark(args, work)
        trace = can_trace()
        result = {"schema": "kpack.bench.compile/1", "machine": machine(bench), "rows": []}
        for source in args.sources:
            for archs in args.archs:
                print("bench: %s, %d architectures" % (source, archs), file=sys.stderr)
                result["rows"].append(measure(bench, source, archs, args.pairs, trace))
        result["host_only"] = {source: bench.host_only_size(source) for source in args.sources}
        print_tables(result)
        if args.json:
            with open(args.json, "w") as file:
                json.dump(result, file, indent=2)
                file.write("\n")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
