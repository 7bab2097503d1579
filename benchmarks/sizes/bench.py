#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user installs: the sizes behind `scripts/bench sizes`.

    bench.py --build DIR --llvm DIR [--quick] [--json FILE] [--svg FILE]
    bench.py --draw FILE.json [--svg FILE]

One program (large.hip of the compile benchmark), built for eight architectures:
by clang++ as a fat binary, plain and with --offload-compress, and by
kpack-clang++ as a host-only program with an archive for each architecture. A user
of one GPU installs the program and one of the archives. The sizes do not depend on
the machine; --svg draws them, for the README. --quick builds small.hip. --draw
takes sizes that were measured before (docs/images/sizes.json).
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "compile"))
sys.dont_write_bytecode = True
import generate  # noqa: E402

ARCHS = ["gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1101", "gfx1201"]
FLAGS = ["-x", "hip", "-O2", "-std=c++17", "-nogpulib", "-nogpuinc"]


def build(compiler, work, runtime, source, name, *options):
    command = ([compiler] + FLAGS + ["--offload-arch=" + a for a in ARCHS] + list(options)
               + [os.path.join(work, source), "-o", name]
               + ["-x", "none", runtime, "-no-hip-rt", "-fuse-ld=lld"])
    ended = subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           env=dict(os.environ, LC_ALL="C", CCACHE_DISABLE="1"))
    if ended.returncode:
        sys.exit("sizes: error: %s: exit status %d\n%s" % (" ".join(command), ended.returncode, ended.stdout))
    return os.path.getsize(os.path.join(work, name))


def measure(build_folder, llvm, source):
    clang, kpack = os.path.join(llvm, "bin", "clang++"), os.path.join(build_folder, "bin", "kpack-clang++")
    with tempfile.TemporaryDirectory() as work:
        generate.write(work)
        runtime = os.path.join(work, "libruntime.so")
        subprocess.run([clang, "-shared", "-fPIC", os.path.join(HERE, "..", "compile", "Runtime.cpp"),
                        "-o", runtime], check=True)
        sizes = {"fat": build(clang, work, runtime, source, "fat"),
                 "compressed": build(clang, work, runtime, source, "compressed", "--offload-compress"),
                 "host_only": build(kpack, work, runtime, source, "host", "--kpack-clang=" + clang,
                                    "--emit-kpack=host_@GFXARCH@.kpack")}
        sizes["archives"] = {a: os.path.getsize(os.path.join(work, "host_%s.kpack" % a)) for a in ARCHS}
    return sizes


def rows(sizes):
    """Label, bytes of host code, bytes of device code."""
    host, archives = sizes["host_only"], sizes["archives"]
    largest = max(archives.values())
    return [("fat binary", host, sizes["fat"] - host),
            ("--offload-compress", host, sizes["compressed"] - host),
            ("kpack, all archives", host, sum(archives.values())),
            ("kpack, one GPU", host, largest)]


def text(sizes):
    table = rows(sizes)
    fat = sum(table[0][1:])
    lines = ["| %d architectures | bytes | of the fat binary |" % len(ARCHS), "|---|---|---|"]
    lines += ["| %s | %d | %.1f %% |" % (label, host + device, 100 * (host + device) / fat)
              for label, host, device in table]
    return "\n".join(lines)


def svg(sizes):
    table = rows(sizes)
    widest, scale_width = max(host + device for _, host, device in table), 430
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="720" height="%d" viewBox="0 0 720 %d" '
           'font-family="sans-serif" font-size="14">' % (44 * len(table) + 46, 44 * len(table) + 46),
           "<title>Installed size of one program for %d architectures</title>" % len(ARCHS),
           '<rect width="100%" height="100%" fill="#ffffff"/>']
    for i, (label, host, device) in enumerate(table):
        y = 14 + 44 * i
        width = scale_width * (host + device) / widest
        host_width = scale_width * host / widest
        out += ['<text x="150" y="%d" text-anchor="end" fill="#1f2328">%s</text>' % (y + 20, label),
                '<rect x="160" y="%d" width="%.1f" height="30" fill="#57606a"/>' % (y, max(host_width, 1)),
                '<rect x="%.1f" y="%d" width="%.1f" height="30" fill="%s"/>' % (
                    160 + host_width, y, width - host_width, "#0969da" if i > 1 else "#cf222e"),
                '<text x="%.1f" y="%d" fill="#1f2328">%.0f KB</text>' % (168 + width, y + 20, (host + device) / 1000)]
    y = 14 + 44 * len(table)
    out += ['<rect x="160" y="%d" width="12" height="12" fill="#57606a"/>' % y,
            '<text x="178" y="%d" fill="#1f2328">host code</text>' % (y + 11),
            '<rect x="270" y="%d" width="12" height="12" fill="#cf222e"/>' % y,
            '<rect x="286" y="%d" width="12" height="12" fill="#0969da"/>' % y,
            '<text x="304" y="%d" fill="#1f2328">device code: in the binary, in archives</text>' % (y + 11),
            "</svg>"]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Sizes of one program for eight architectures.")
    parser.add_argument("--build")
    parser.add_argument("--llvm")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--draw", metavar="FILE.json")
    parser.add_argument("--json")
    parser.add_argument("--svg")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.check:
        return
    if given.draw:
        with open(given.draw, encoding="utf-8") as file:
            sizes = json.load(file)
    else:
        sizes = measure(os.path.abspath(given.build), given.llvm,
                        "small.hip" if given.quick else "large.hip")
    print(text(sizes))
    for path, content in ((given.json, json.dumps(dict(sizes, schema="kpack.bench.sizes/1"), indent=1) + "\n"),
                          (given.svg, svg(sizes))):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)


if __name__ == "__main__":
    main()
