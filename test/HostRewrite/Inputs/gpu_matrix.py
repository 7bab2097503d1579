# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs and libraries with kernels, linked in every way that linkers have, which call them
on emulated GPUs as they are, are converted, and call them again.

  gpu_matrix.py [--all] [--only=TEXT] [--rocm=FOLDER] BUILD CLANG SOURCE

matrix.py looks at what a conversion writes, on a runtime of the tests' own; here it is ROCm's
that registers and launches. Each unit's numbers must be those of its own device code and of
the target that its GPU needs (gpu_units.py), and the converted program must print what it
printed before. Where the ROCm does not read what the compiler writes (compressed bundles:
5.2), only the converted one runs; for GPUs that it does not know, kernels run out of the
archives by softgpu-run. --rocm: another ROCm than this system's, which knows those, too.
--all: every page size, 300 wrappers, sanitizers and relocatable device code with each linker
and kind of file; else each of these with some, so that all meet in a minute of one core."""
import argparse
import glob
import os
import re
import subprocess
import sys
from typing import NamedTuple

sys.dont_write_bytecode = True
import gpu_units  # noqa: E402 modules beside this one
import matrix  # noqa: E402

# GPUs of a run, and which targets serve them.
OLD_GPUS = ("gfx90a", "gfx1030")
SERVED_BY = {
    "gfx90a": ["gfx90a:sramecc+:xnack-", "gfx90a:xnack-", "gfx90a", "gfx9-generic"],
    "gfx906": ["gfx906", "gfx9-generic"],
    "gfx942": ["gfx942"],
    "gfx1030": ["gfx1030", "gfx10-3-generic"],
    "gfx1100": ["gfx1100", "gfx11-generic"],
    "gfx1201": ["gfx1201"],
}
LINKERS = ("bfd", "gold", "lld")
MODES = {"pie": ["-pie"], "nopie": ["-no-pie"], "so": ["-shared"]}


class Case(NamedTuple):
    name: str
    kind: str  # of units; "": none
    count: int  # of units
    options: list  # of the link
    gpus: tuple = OLD_GPUS
    stock: bool = True  # the ROCm runs it as it is
    by_archive: bool = False  # softgpu-run calls the kernels

    @property
    def shared(self):
        return "-shared" in self.options


def cases_of(linker, mode, base, takes):
    """Of one linker, and kind of file. takes(N, I): whether of N alternatives the I-th is wanted."""
    name = "%s-%s-" % (linker, mode)
    for i, (page, size) in enumerate(matrix.PAGES.items()):
        if takes(2, i % 2):
            yield Case(name + page, "two", 2, [*base, "-Wl,-z,max-page-size=%d" % size])
    yield Case(name + "one-stripped", "two", 1, [*base, "-s"])
    yield Case(name + "uneven", "uneven", 2, base, gpus=("gfx1030",))
    if takes(3, 0):
        yield Case(name + "many", "many", gpu_units.MANY, base, gpus=("gfx1030",))
    if takes(3, 1):
        yield Case(name + "asan", "asan", 2, [*base, "-fsanitize=address"])
    if takes(3, 2):
        yield Case(name + "rdc", "rdc", 3, [*base, "-fgpu-rdc", "--hip-link", "-nogpulib", "-mcode-object-version=4",
                                           "--offload-arch=gfx90a", "--offload-arch=gfx1030"])
    if linker != "gold" and mode != "nopie":
        yield Case(name + "relr", "two", 2, [*base, "-Wl,-z,pack-relative-relocs"])


def cases(takes_all, has_new_rocm):
    for i, linker in enumerate(LINKERS):
        for j, (mode, how) in enumerate(MODES.items()):
            yield from cases_of(linker, mode, ["-fuse-ld=" + linker, *how],
                                lambda count, which: takes_all or (i + j) % count == which)
        yield Case(linker + "-none", "", 0, ["-fuse-ld=" + linker, "-pie"])
    # Of these, what the linker does is the same for all.
    for linker, (mode, how) in zip(LINKERS, MODES.items()):
        base, name = ["-fuse-ld=" + linker, *how], "%s-%s-" % (linker, mode)
        yield Case(name + "features", "features", 2, base)
        yield Case(name + "driver", "driver", 2, base)
        yield Case(name + "compressed", "compressed", 2, base, stock=has_new_rocm)
        yield Case(name + "new", "new", 2, base, ("gfx942", "gfx1030", "gfx1100", "gfx1201"),
                   by_archive=not has_new_rocm)
        yield Case(name + "generic", "generic", 2, base, ("gfx906", "gfx1030", "gfx1100"),
                   by_archive=not has_new_rocm)


class GpuMatrix:
    def __init__(self, args):
        self.build, self.rocm = os.path.abspath(args.build), args.rocm
        self.kpack = os.path.join(self.build, "bin", "kpack")
        self.clang = args.clang
        self.units = gpu_units.Units(args.clang, os.path.abspath(args.source))
        self.cases = [case for case in cases(args.all, bool(args.rocm)) if args.only in case.name]
        self.problems = {}  # name: texts
        self.runs = 0

    def problem(self, name, text):
        self.problems.setdefault(name, []).append(text)

    def link(self, case):
        objects = ["%s-%d.o" % (case.kind, n) for n in range(case.count)]
        if case.kind:
            objects.append("all-asan.o" if case.kind == "asan" else "all-%d.o" % case.count)
        if not case.shared:
            objects.append("main.o" if case.kind else "plain.o")
        library = "-l:libamdhip64.so.5"
        if self.rocm:
            library = glob.glob(os.path.join(self.rocm, "usr/lib/x86_64-linux-gnu/libamdhip64.so.[0-9]"))[0]
        # What another ROCm's library needs in turn is that ROCm's.
        matrix.run(self.clang, *case.options, "-no-hip-rt", *objects, "-o", case.name, library,
                   "-Wl,--allow-shlib-undefined")

    def convert(self, case):
        """Whether there is something to be run."""
        out = "out/" + case.name
        text = matrix.run(self.kpack, "convert", case.name, "-o", out)
        if not case.kind:
            same = open(case.name, "rb").read() == open(out, "rb").read()
            if "no device code, copied as it is" not in text or not same:
                self.problem(case.name, "no plain copy: " + text)
            return False
        wanted = "converted: %d wrapper" % case.count
        if wanted not in text:
            self.problem(case.name, "%r is not in: %s" % (wanted, text))
        matrix.run(self.kpack, "verify", out)
        return True

    def on_gpus(self, gpus, command):
        """What a program prints, whichever way it ends."""
        self.runs += 1
        words = [os.path.join(self.build, "bin", "kpack-run"), "--gpu=" + ",".join(gpus), "--threads=1"]
        words += ["--rocm=" + self.rocm] if self.rocm else []
        # In its cache ROCm 7's comgr takes the compressed bundles of two units for one.
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", AMD_COMGR_CACHE="0")
        done = subprocess.run([*words, "--", *command], text=True, errors="replace", capture_output=True,
                              env=environment, timeout=1200)
        return done.stdout + done.stderr + "exit %d\n" % done.returncode

    def expected(self, case):
        lines = ["error 0\n"]
        for place, gpu in enumerate(case.gpus):
            for unit in range(case.count):
                targets = gpu_units.KINDS["two" if case.kind == "many" else case.kind][0]
                target = next(t for t in SERVED_BY[gpu] if t in targets[unit if case.kind != "many" else 0])
                lines.append("gpu %d unit %d: error 0, %x, %d right, %s\n" % (
                    place, unit, gpu_units.number(case.kind, unit), gpu_units.LANES, target))
        return "".join(lines)

    def compare(self, case, what, text):
        wanted, found = self.expected(case).splitlines(), text.splitlines()
        for line in wanted:
            if line not in found:
                self.problem(case.name, "%s: no line %r in: %s" % (what, line, text[:2000]))
                return

    def run_program(self, case):
        for folder in [".", "out"] if case.stock else ["out"]:
            text = self.on_gpus(case.gpus, [os.path.join(folder, case.name)])
            self.compare(case, folder, text)
            if "exit 0" not in text:
                self.problem(case.name, "%s: %s" % (folder, text[-300:]))

    def run_libraries(self, group):
        """All that want the same GPUs and loader, in one process."""
        loader = "./loader-asan" if group[0].kind == "asan" else "./loader"
        for folder in [".", "out"] if group[0].stock else ["out"]:
            text = self.on_gpus(group[0].gpus, [loader, *(os.path.join(folder, c.name) for c in group)])
            parts = dict(re.findall(r"^== \S*?/?([^/ \n]+) ([^=]*)", text, re.M))
            for case in group:
                self.compare(case, folder, parts.get(case.name, text[-300:]))
            if "exit 0" not in text:
                self.problem(group[-1].name, "%s: %s" % (folder, text[-300:]))

    def run_archives(self, case):
        """By our own loader, where no ROCm is that knows the GPU."""
        zeros = "zeros"
        with open(zeros, "wb") as file:
            file.write(bytes(4 * gpu_units.LANES))
        targets = gpu_units.KINDS[case.kind][0]
        for gpu in case.gpus:
            for unit in range(case.count):
                target = next(t for t in SERVED_BY[gpu] if t in targets[unit])
                matrix.run(os.path.join(self.build, "bin", "softgpu-run"),
                           "out/.kpack/%s_%s.kpack" % (case.name, target), "kernel_%04d" % unit,
                           "--binary=%s#%d" % (case.name, unit), "--grid=2", "--block=64",
                           "--arg=inout:zeros:numbers", "--arg=out:text:%d" % gpu_units.LANES)
                self.runs += 1
                numbers, text = open("numbers", "rb").read(), open("text", "rb").read().split(b"\0")[0].decode()
                if numbers != gpu_units.LANES * gpu_units.number(case.kind, unit).to_bytes(4, "little"):
                    self.problem(case.name, "%s: unit %d: wrong numbers" % (gpu, unit))
                if text != target:
                    self.problem(case.name, "%s: unit %d: %r instead of %s" % (gpu, unit, text, target))

    def run_all(self, ready):
        groups = {}
        for case in ready:
            if case.by_archive:
                self.run_archives(case)
            elif case.shared:
                groups.setdefault((case.gpus, case.kind == "asan", case.stock), []).append(case)
            else:
                self.run_program(case)
        for group in groups.values():
            self.run_libraries(group)

    def run(self):
        os.makedirs("out", exist_ok=True)
        self.units.compile(sorted({case.kind for case in self.cases} & set(gpu_units.KINDS)))
        ready = []
        for case in self.cases:
            try:
                self.link(case)
                ready += [case] if self.convert(case) else []
            except SystemExit as gone:
                self.problem(case.name, str(gone))
        self.run_all(ready)
        for name, texts in self.problems.items():
            print("%s: %s" % (name, "\n".join(texts)))
        with_kernels = sum(bool(case.kind) for case in self.cases)
        print("%d binaries with kernels, %d without, %d runs, %d failed" % (
            with_kernels, len(self.cases) - with_kernels, self.runs, len(self.problems)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--rocm")
    parser.add_argument("build")
    parser.add_argument("clang")
    parser.add_argument("source")
    GpuMatrix(parser.parse_args()).run()


if __name__ == "__main__":
    main()
