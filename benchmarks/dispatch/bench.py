#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What it takes to compile a dispatcher that calls stubs. Called by scripts/bench dispatch."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MINICK = os.path.join(ROOT, "test", "CkJit", "Inputs", "minick")
STYLES = {"2024": "function", "2026": "launcher"}
KINDS = {"plain": None, "rewritten": [], "table": ["--table"]}


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench dispatch")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--llvm", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--variants", type=int, default=300, help="of bwd, in each dispatcher (default: 300)")
    parser.add_argument("--rounds", type=int, default=3, help="compiles of each (default: 3)")
    parser.add_argument("--level", default="2", help="optimisation, as after -O (default: 2)")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    args = parser.parse_args()
    if args.variants < 10 or args.rounds < 1:
        parser.error("--variants: 10 or more; --rounds: 1 or more")
    return args


def run(*command, folder):
    """CPU seconds, wall seconds and memory (MB) of a command."""
    start = time.monotonic()
    with open(os.path.join(folder, "output"), "w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            sys.exit("bench: error: %s: ended with %d\n%s" % (" ".join(command), process.returncode,
                                                              output.read()[-4000:]))
    return {"cpu": usage.ru_utime + usage.ru_stime, "wall": time.monotonic() - start, "mb": usage.ru_maxrss / 1024}


def measure(args, style, folder):
    flags = ["-std=c++17", "-I" + MINICK]
    run(sys.executable, os.path.join(MINICK, "generate.py"), "-d", "bwd", "--style", style,
        "--variants", str(args.variants), "-o", "blobs", folder=folder)
    sources, rewriting = {}, {}
    for kind, options in KINDS.items():
        sources[kind] = "blobs/fmha_bwd_api.cpp"
        if options is not None:
            sources[kind] = kind + ".cpp"
            rewriting[kind] = run(os.path.join(args.build, "bin", "ck-jit"), "rewrite", "--blobs=blobs", *options,
                                  "blobs/fmha_bwd_api.cpp", "-o", sources[kind], "--", *flags, folder=folder)
    runs = {kind: [] for kind in KINDS}
    for _ in range(args.rounds):
        for kind, source in sources.items():
            runs[kind].append(run(os.path.join(args.llvm, "bin", "clang++"), *flags, "-O" + args.level, "-fbracket-depth=8192",
                                  "-I" + os.path.join(ROOT, "include"), "-c", source, "-o", "object.o", folder=folder))
    rows = []
    for kind in KINDS:
        middle = {key: statistics.median(r[key] for r in runs[kind]) for key in ("cpu", "wall", "mb")}
        rows.append({"style": STYLES[style], "dispatcher": kind, "rewrite": rewriting.get(kind), **middle})
        row = rows[-1]
        print("%-9s %-10s %8.1f %8.1f %7.3f %7.0f %10s" % (
            row["style"], kind, row["cpu"], row["wall"], row["cpu"] / rows[0]["cpu"], row["mb"],
            "%.1f" % row["rewrite"]["cpu"] if row["rewrite"] else "-"), flush=True)
    return rows


def main():
    args = arguments()
    if args.check:
        return
    print("%d variants, -O%s, medians of %d\n%-9s %-10s %8s %8s %7s %7s %10s" % (
        args.variants, args.level, args.rounds, "style", "dispatcher", "CPU s", "wall s", "ratio", "MB", "rewrite s"))
    rows = []
    for style in STYLES:
        with tempfile.TemporaryDirectory() as folder:
            rows += measure(args, style, folder)
    if args.json:
        with open(args.json + ".tmp", "w", encoding="utf-8") as out:
            json.dump({"schema": "kpack.bench.dispatch/1", "variants": args.variants, "level": args.level,
                       "rows": rows}, out, indent=1)
        os.replace(args.json + ".tmp", args.json)


if __name__ == "__main__":
    main()
