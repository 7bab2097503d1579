# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links small fat HIP programs in every way that linkers have, converts each, and looks at
what has come out with other people's tools.

  matrix.py [--only=TEXT] KPACK CLANG FAKEHIP-FOLDER HIP-INCLUDES

The compiler makes one object of each translation unit, and only links are repeated. Of a
conversion these must hold: the input is as it was; 'kpack verify' is content; readelf and
eu-elflint find nothing that they do not find in the input; its sections are in the order
that tools rely on; the file is smaller by the device code, but for what a page may cost;
and the program, run, registers the same kernels for the same targets, each wrapper with
the code object of its own translation unit."""
import os
import re
import shutil
import subprocess
import sys

import section_order

MANY = 300
PAGES = {"4k": 0x1000, "16k": 0x4000, "64k": 0x10000, "2m": 0x200000}
UNIT = '#include "hip_mini.h"\n__global__ void k%(n)d(int *P) { *P = %(n)d; }\n' \
       'void l%(n)d() { k%(n)d<<<dim3(1), dim3(1)>>>(nullptr); }\n'
MAIN = 'int main() { return 0; }\n'


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit("%s: exit %d\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))
    return done.stdout


def said(*command):
    """What a checker says of a file, without the file's own name and the numbers of sections
    and program headers: one more of those is no finding."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    text = done.stdout if command[0] == "eu-elflint" else done.stderr
    lines = (line.replace(command[-1], "FILE") for line in text.splitlines() if line.strip())
    return {re.sub(r"\[ *\d+\]|(?<=program header entry )\d+", "[N]", line) for line in lines}


def news(before, after):
    """What checkers find in a file that they do not find in another."""
    found = []
    for checker in (("readelf", "-aW"), ("eu-elflint", "--gnu-ld")):
        new = said(*checker, after) - said(*checker, before) - {"No errors"}
        found += ["%s: %s" % (checker[0], line) for line in sorted(new)]
    # What stands where the device code stood, or stands again.
    own = re.compile(r"\.hip_fatbin|\.rocm_kpack_ref")
    known = {own.sub("OWN", p) for p in section_order.problems(before)}
    return found + [p for p in section_order.problems(after) if own.sub("OWN", p) not in known]


def device_size(path):
    for line in run("readelf", "-SW", path).splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 6 and words[1] == ".hip_fatbin":
            return int(words[5], 16)
    return 0


class Matrix:
    def __init__(self, kpack, clang, lib, includes):
        self.kpack, self.clang, self.lib, self.includes = kpack, clang, lib, includes
        self.failed = self.count = 0

    def compile(self):
        """One object for each of a few units, and one with 300 of them."""
        hip = ["-x", "hip", "-nogpulib", "-nogpuinc", "-I", self.includes, "-O1", "-fPIC"]
        jobs = []
        for n, archs in enumerate((["gfx1100", "gfx90a"], ["gfx1100"])):
            open("u%d.hip" % n, "w").write(UNIT % {"n": n})
            jobs.append([self.clang, *hip, *("--offload-arch=" + a for a in archs), "-c", "u%d.hip" % n])
            jobs.append([*jobs[-1], "--offload-compress", "-o", "c%d.o" % n])
            jobs.append([*jobs[-2], "-gdwarf-4", "-o", "g%d.o" % n])
        open("main.cpp", "w").write(MAIN)
        jobs.append([self.clang, "-fPIC", "-c", "main.cpp"])
        jobs.append([self.clang, *hip, "--offload-arch=gfx1100", "--offload-device-only", "--no-gpu-bundle-output",
                     "-c", "u0.hip", "-o", "u0.co"])
        for job in [subprocess.Popen(j) for j in jobs]:
            if job.wait() != 0:
                sys.exit("a compile has failed")
        self.make_many()

    def make_many(self):
        """300 wrappers, which point to seven bundles, as those of -fgpu-rdc share one; some have the redzone of
        AddressSanitizer. Code objects are told apart by what is behind them."""
        text = ".section .hipFatBinSegment,\"aw\"\n.p2align 3\n"
        for i in range(MANY):
            text += ".long 0x48495046, 1\n.quad .Lb%d\n.quad 0\n" % (i % 7)
            if i % 3 == 0:
                text += ".zero 40\n"
        text += ".section .hip_fatbin,\"a\",@progbits\n"
        for i in range(7):
            code = open("u0.co", "rb").read() + b"code of %d" % i
            open("code-%d.co" % i, "wb").write(code)
            target = "hipv4-amdgcn-amd-amdhsa--gfx1100"
            head = 24 + 8 + 24 + len(target)
            text += ".p2align 12\n.Lb%d:\n.ascii \"__CLANG_OFFLOAD_BUNDLE__\"\n.quad 1, 4096, %d, %d\n" % (
                i, len(code), len(target))
            text += ".ascii \"%s\"\n.zero %d\n.incbin \"code-%d.co\"\n" % (target, 4096 - head, i)
        text += ".section .note.GNU-stack,\"\",@progbits\n"
        open("many.s", "w").write(text)
        run(self.clang, "-c", "many.s")

    def cases(self):
        """Name, objects, options of the link, whether it is to be run, page size."""
        kinds = {"pie": ["-pie"], "nopie": ["-no-pie"], "so": ["-shared"]}
        for linker in ("bfd", "gold", "lld"):
            for kind, how in kinds.items():
                name = "%s-%s" % (linker, kind)
                base = ["-fuse-ld=" + linker, *how]
                for page, size in PAGES.items():
                    yield name + "-" + page, 2, [*base, "-Wl,-z,max-page-size=%d" % size], size
                yield name + "-stripped", 2, [*base, "-s"], 0
                yield name + "-now", 2, [*base, "-Wl,-z,now,-z,relro"], 0
                yield name + "-norelro", 1, [*base, "-Wl,-z,norelro"], 0
                yield name + "-many", MANY, base, 0
                yield name + "-none", 0, base, 0
                yield name + "-bare", 2, base, 0
                yield name + "-compressed", 2, base, 0
                yield name + "-debug", 2, base, 0
                if linker != "gold" and kind != "nopie":
                    yield name + "-relr", 2, [*base, "-Wl,-z,pack-relative-relocs"], 0
        yield "bfd-nosep", 2, ["-fuse-ld=bfd", "-pie", "-Wl,-z,noseparate-code"], 0
        yield "bfd-so-noid", 2, ["-fuse-ld=bfd", "-shared", "-Wl,--build-id=none"], 0
        yield "lld-so-noid", 2, ["-fuse-ld=lld", "-shared", "-Wl,--build-id=none"], 0
        yield "lld-rosegment", 2, ["-fuse-ld=lld", "-pie", "-Wl,--no-rosegment"], 0
        yield "lld-separate", 2, ["-fuse-ld=lld", "-pie", "-Wl,-z,separate-loadable-segments"], 0
        yield "bfd-hash-sysv", 2, ["-fuse-ld=bfd", "-shared", "-Wl,--hash-style=sysv"], 0
        yield "lld-gdb-index", 2, ["-fuse-ld=lld", "-pie", "-g", "-Wl,--emit-relocs"], 0

    def link(self, name, units, options):
        objects = {0: [], 1: ["u0.o"], 2: ["u0.o", "u1.o"], MANY: ["many.o"]}[units]
        if name.endswith("-compressed"):
            objects = ["c0.o", "c1.o"]
        if name.endswith("-debug"):
            objects = ["g0.o", "g1.o"]
        if "-shared" not in options:
            objects = ["main.o"] + objects
        run(self.clang, *options, *objects, "-o", name, "-L" + self.lib, "-Wl,-rpath," + self.lib,
            "-Wl,--no-as-needed", "-lfakehip", "-lm")
        if name.endswith("-bare"):
            run("llvm-objcopy", "--strip-sections", name)

    def registered(self, path, shared):
        environment = dict(os.environ, FAKE_HIP_ARCHS="gfx1100,gfx90a")
        if not shared:
            return run(os.path.abspath(path), env=environment)
        return run(sys.executable, "-c", "import ctypes,sys; ctypes.CDLL(sys.argv[1])", os.path.abspath(path),
                   env=environment)

    def check(self, name, units, options, page):
        self.link(name, units, options)
        before = open(name, "rb").read()
        out = "out-" + name
        text = run(self.kpack, "convert", name, "-o", out)
        problems = []
        if open(name, "rb").read() != before:
            problems.append("the input was changed")
        shared = "-shared" in options
        if units == 0:
            if "no device code, copied as it is" not in text or open(out, "rb").read() != before:
                problems.append("no plain copy: " + text)
            self.registered(out, shared)
            return problems
        done = subprocess.run([self.kpack, "verify", out], capture_output=True, text=True)
        if done.returncode != 0:
            problems.append("verify: " + done.stderr)
        problems += news(name, out)
        problems += self.check_size(name, out, page)
        problems += self.check_run(name, out, units, shared)
        again = "again-" + name
        if "host-only already, copied as it is" not in run(self.kpack, "convert", out, "-o", again):
            problems.append("a second conversion does something")
        if name.endswith("-bare"):
            return problems
        return problems + self.check_tools(name, out, units, shared)

    def check_tools(self, name, out, units, shared):
        """Packagers' tools on the result: it is still loaded, and still right."""
        changed, problems = "changed-" + out, []
        tools = [("strip", out, "-o", changed), ("objcopy", out, changed),
                 ("objcopy", "--only-keep-debug", out, changed + ".debug"),
                 ("llvm-strip", out, "-o", changed), ("llvm-objcopy", out, changed),
                 ("eu-strip", "-f", changed + ".debug", out, "-o", changed),
                 ("patchelf", "--set-rpath", self.lib + ":/some/where/else", out, "--output", changed)]
        if name.endswith("-debug"):
            tools.append(("dwz", out, "-o", changed))
        for tool in tools:
            run(*tool)
            if tool[0] == "dwz":
                compared = subprocess.run(["eu-elfcmp", out, changed], capture_output=True, text=True)
                problems += compared.stderr.splitlines()
            if "--only-keep-debug" in tool:
                shutil.copy(out, changed)
                run("objcopy", "--add-gnu-debuglink=" + changed + ".debug", changed)
            done = subprocess.run([self.kpack, "verify", changed], capture_output=True, text=True)
            if done.returncode != 0:
                problems.append("%s: verify: %s" % (tool[0], done.stderr))
            try:
                problems += ["%s: %s" % (tool[0], p) for p in self.check_run(name, changed, units, shared)]
            except SystemExit as gone:
                problems.append("%s: %s" % (tool[0], gone))
        return problems

    def check_size(self, name, out, page):
        # Without section headers nothing says so; there is this much in u0.o and u1.o.
        device = device_size(name) or 20000
        size, before = os.path.getsize(out), os.path.getsize(name)
        # What is dropped is a multiple of the page; the rest may take two pages of 4 KiB.
        most = max(page, 0x1000) + 0x2000
        # The name of the marker's section comes in even where nothing can be dropped.
        if size > before + 64 or size > before - device + most:
            return ["%d -> %d bytes, of which %d were device code" % (before, size, device)]
        return []

    def check_run(self, name, out, units, shared):
        text = self.registered(out, shared)
        if units == MANY:
            key = out[out.index("out-"):]
            archive = ".kpack/%s_gfx1100.kpack" % key
            for i in (0, 1, 6, 7, MANY - 1):
                run(self.kpack, "extract", archive, "--binary=%s#%d" % (key, i), "-o", "extracted.co")
                if open("extracted.co", "rb").read() != open("code-%d.co" % (i % 7), "rb").read():
                    return ["wrapper %d has another one's code object" % i]
            return []
        wanted = ["wrapper 0 magic=HIPK", "kernels=_Z2k0Pi"]
        if units == 2:
            wanted += ["wrapper 1 magic=HIPK", "kernels=_Z2k1Pi"]
        return ["run: %r not in\n%s" % (w, text) for w in wanted if w not in text]

    def run(self, only):
        self.compile()
        for name, units, options, page in self.cases():
            if only not in name:
                continue
            self.count += 1
            try:
                problems = self.check(name, units, options, page)
            except SystemExit as gone:
                problems = [str(gone)]
            for problem in problems:
                print("%s: %s" % (name, problem))
            self.failed += bool(problems)
        print("%d binaries, %d failed" % (self.count, self.failed))


def main():
    words = sys.argv[1:]
    only = ""
    if words[0].startswith("--only="):
        only = words.pop(0)[len("--only="):]
    Matrix(*words).run(only)


if __name__ == "__main__":
    main()
