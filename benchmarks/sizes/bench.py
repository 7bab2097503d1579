#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user installs: the sizes behind `scripts/bench sizes`.

    bench.py --build DIR --llvm DIR [--quick] [--json FILE] [--svg FILE]
    bench.py --draw FILE.json [--svg FILE]

One program (large.hip of the compile benchmark), built for eight architectures:
by clang++ as a fat binary, plain and with --offload-compress, and by
kpack-clang++ as a host-only program with an archive for each architecture. A user
of one GPU installs the program and one of the archives. The sizes do not depend on
the machine; --json says with which compiler and how they were measured; --svg draws
them, for the README. --quick builds small.hip. --draw takes sizes that were measured
before (docs/images/sizes.json): the same file gives the same picture.
"""
import argparse
import json
import os
import re
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
        sizes["measured"] = how(clang, source)
    return sizes


def how(clang, source):
    """In words, for whoever finds the figures without the page about them."""
    version = subprocess.run([clang, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {"program": "%s of benchmarks/compile/generate.py" % source,
            "compiler": re.search(r"clang version ([\d.]+)", version).group(0),
            "options": " ".join(FLAGS[2:]) + ", --offload-arch= once for each of 'archives'",
            "fat": "bytes of the linked program of clang++",
            "compressed": "the same with --offload-compress",
            "host_only": "bytes of the linked program of kpack-clang++ --emit-kpack",
            "archives": "bytes of each archive beside it, zstd level 3",
            "command": "scripts/bench sizes --json docs/images/sizes.json --svg docs/images/sizes.svg"}


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
    lines = ["| %d architectures | bytes | of the fat binary |" % len(sizes["archives"]), "|---|---|---|"]
    lines += ["| %s | %d | %.1f %% |" % (label, host + device, 100 * (host + device) / fat)
              for label, host, device in table]
    return "\n".join(lines)


def kilobytes(size):
    return "%.0f KB" % (size / 1000)


def alternative(sizes):
    """What the picture says, for those who do not see it; the README has the same."""
    bars = ["%s %s" % (label, kilobytes(host + device)) for label, host, device in rows(sizes)]
    return "Installed size of one program for %d architectures: %s" % (len(sizes["archives"]), "; ".join(bars))


# A picture in a page knows the reader's light or dark mode, but not always the page's:
# it has a background of its own, so that its text is readable on either. Classes: ink,
# host code, device code in the binary and in archives.
STYLE = """<style>
.paper { fill: #ffffff; stroke: #d0d7de } .ink { fill: #1f2328 }
.host { fill: #57606a } .inside { fill: #cf222e } .apart { fill: #0969da }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117; stroke: #30363d } .ink { fill: #e6edf3 }
.host { fill: #8b949e } .inside { fill: #f85149 } .apart { fill: #58a6ff }
}
</style>"""


def box(kind, x, y, width, height):
    return '<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"/>' % (kind, x, y, width, height)


def words(x, y, content, more=""):
    return '<text class="ink" x="%.1f" y="%d"%s>%s</text>' % (x, y, more, content)


def svg(sizes):
    table = rows(sizes)
    left, scale = 160, 430 / max(host + device for _, host, device in table)
    height = 44 * len(table) + 46
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="720" height="%d" viewBox="0 0 720 %d" '
           'font-family="sans-serif" font-size="14" role="img" aria-labelledby="title">' % (height, height),
           '<title id="title">%s</title>' % alternative(sizes), STYLE,
           '<rect class="paper" x="0.5" y="0.5" width="719" height="%d" rx="6"/>' % (height - 1)]
    for i, (label, host, device) in enumerate(table):
        y = 14 + 44 * i
        end = left + scale * (host + device)
        out += [words(left - 10, y + 20, label, ' text-anchor="end"'),
                box("host", left, y, scale * host, 30),
                box("apart" if i > 1 else "inside", left + scale * host, y, scale * device, 30),
                words(end + 8, y + 20, kilobytes(host + device))]
    y = 14 + 44 * len(table)
    out += [box("host", left, y, 12, 12), words(left + 18, y + 11, "host code"),
            box("inside", left + 110, y, 12, 12), words(left + 128, y + 11, "device code in the binary"),
            box("apart", left + 310, y, 12, 12), words(left + 328, y + 11, "device code in archives"), "</svg>"]
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
