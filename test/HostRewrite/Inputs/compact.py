# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links a program of many kinds of references (compact.cpp) with --emit-relocs in every way
that linkers have, makes it compact, and compares what it says with what it said before.

  compact.py [--only=TEXT] KPACK CLANG FAKEHIP-FOLDER HIP-INCLUDES
  compact.py --hide=SECTION[#N] INPUT OUTPUT

The second copies a file and calls a section of relocations one of bytes, or one of its
relocations none; a section of dynamic symbols is as long as one of them.

Of each must hold: it answers as before, and its wrappers are host-only; its memory ends lower by
the device code, but for what a page may cost, and so does its file; 'kpack verify --against' is
content; checkers and llvm-dwarfdump --verify find nothing new, and a function is found at its new
address. Of some, each change that is taken back is found by 'kpack verify'. A link without
--emit-relocs keeps its addresses."""
import os
import re
import subprocess
import sys

import matrix
from matrix import run

SOURCE = os.path.dirname(os.path.abspath(__file__))
LOAD = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).answers())"


def memory_end(path):
    loads = [line.split() for line in run("readelf", "-lW", path).splitlines() if "  LOAD" in line]
    return max(int(words[2], 16) + int(words[5], 16) for words in loads)


def address_of(path, name):
    words = [line.split() for line in run("llvm-nm", path).splitlines()]
    return int(next(w[0] for w in words if w[-1] == name), 16)


def sections(path):
    """Offset and size in the file, by name."""
    found = {}
    for line in run("readelf", "-SW", path).splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 6 and words[0].startswith("[") and words[2] not in ("NOBITS", "Type"):
            found[words[1]] = int(words[4], 16), int(words[5], 16)
    return found


class Compact:
    def __init__(self, kpack, clang, lib, includes):
        self.kpack, self.clang, self.lib = kpack, clang, lib
        self.units = matrix.Matrix(kpack, clang, lib, includes)

    def compile(self):
        self.units.compile()
        source = os.path.join(SOURCE, "compact.cpp")
        common = [self.clang, "-O1", "-g", "-c", source]
        jobs = [[*common, "-fPIC", "-o", "pie.o"], [*common, "-fPIC", "-DLIBRARY", "-o", "so.o"],
                [*common, "-fno-pic", "-o", "nopie.o"],
                [*common, "-fno-pic", "-fno-jump-tables", "-mcmodel=small", "-fcf-protection", "-o", "ibt.o"],
                [*common, "-fPIC", "-mtls-dialect=gnu2", "-DLIBRARY", "-o", "desc.o"]]
        for job in [subprocess.Popen(j) for j in jobs]:
            if job.wait() != 0:
                sys.exit("a compile has failed")

    def cases(self):
        """Name, object, options of the link."""
        for linker in ("bfd", "gold", "lld"):
            use = "-fuse-ld=" + linker
            yield linker + "-pie", "pie.o", [use, "-pie", "-rdynamic"]
            yield linker + "-nopie", "nopie.o", [use, "-no-pie", "-rdynamic"]
            yield linker + "-near", "pie.o", [use, "-no-pie"]
            yield linker + "-now", "pie.o", [use, "-pie", "-Wl,-z,now,-z,relro"]
            yield linker + "-so", "so.o", [use, "-shared"]
            yield linker + "-local", "so.o", [use, "-shared", "-Wl,-Bsymbolic"]
            yield linker + "-desc", "desc.o", [use, "-shared"]
            if linker != "gold":
                yield linker + "-ibt", "ibt.o", [use, "-no-pie", "-Wl,-z,ibtplt" if linker == "bfd" else
                                                 "-Wl,-z,force-ibt"]
                yield linker + "-relr", "pie.o", [use, "-pie", "-Wl,-z,pack-relative-relocs"]
        yield "lld-retpoline", "pie.o", ["-fuse-ld=lld", "-pie", "-Wl,-z,retpolineplt"]
        yield "lld-16k", "pie.o", ["-fuse-ld=lld", "-pie", "-Wl,-z,max-page-size=16384"]
        yield "lld-one", "pie.o", ["-fuse-ld=lld", "-pie", "-Wl,--no-rosegment"]
        yield "lld-gc", "pie.o", ["-fuse-ld=lld", "-pie", "-Wl,--gc-sections,--icf=all"]

    def link(self, out, main, options):
        # With large pages, a unit with more device code: its size is no multiple of such a page
        # whichever clang compiled it.
        first = "g0.o" if out.endswith("-16k") else "u0.o"
        run(self.clang, *options, main, first, "u1.o", "-o", out, "-L" + self.lib,
            "-Wl,-rpath," + self.lib, "-Wl,--no-as-needed", "-lfakehip")

    def says(self, path):
        environment = dict(os.environ, FAKE_HIP_ARCHS="gfx1100,gfx90a")
        path = os.path.abspath(path)
        command = [sys.executable, "-c", LOAD, path] if path.endswith((".so", "-so", "-local", "-desc")) else [path]
        text = run(*command, env=environment)
        return text.partition("wrapper ")[0], text

    def check(self, name, main, options):
        self.link(name, main, [*options, "-Wl,--emit-relocs"])
        out = "out-" + name
        large = name.endswith("-16k")
        how = ["--compact"] if large else []
        text = run(self.kpack, "convert", *how, name, "-o", out)
        if not text.endswith(" bytes, compact\n"):
            return ["not compact: " + subprocess.run(
                [self.kpack, "convert", "--compact", name, "-o", "none"],
                capture_output=True, text=True).stderr]
        problems = []
        before, after = self.says(name), self.says(out)
        if len(before[0].splitlines()) < 14 or before[0] != after[0]:
            problems.append("says\n%s, and said\n%s" % (after[1], before[1]))
        if "wrapper 1 magic=HIPK functions=_Z2k1Pi" not in after[1]:
            problems.append("run:\n" + after[1])
        page = 0x4000 if large else 0x1000
        run(self.kpack, "convert", "--keep-layout", name, "-o", "kept")
        more = os.path.getsize(out) - os.path.getsize("kept")
        if more >= page:
            problems.append("0x%x bytes larger than with its addresses kept" % more)
        less = memory_end(name) - memory_end(out)
        if less < matrix.device_size(name) - page - 0x200:
            problems.append("memory ends only 0x%x bytes earlier" % less)
        run(self.kpack, "verify", "--against=" + name, out)
        problems += matrix.news(name, out)
        return problems + self.check_debug(name, out)

    def check_debug(self, name, out):
        complaints = [subprocess.run(["llvm-dwarfdump", "--verify", path], capture_output=True,
                                     text=True).stdout.replace(path, "FILE") for path in (name, out)]
        if complaints[0] != complaints[1] or "Verifying unit" not in complaints[0]:
            return ["llvm-dwarfdump --verify: " + complaints[1]]
        found = []
        for path in (name, out):
            where = hex(address_of(path, "answers"))
            found.append(run("llvm-symbolizer", "--obj=" + path, where))
        if found[0] != found[1] or "compact.cpp:" not in found[0]:
            return ["debug information says %s, and said %s" % (found[1], found[0])]
        where = hex(address_of(out, "answers"))
        text = run("addr2line", "-e", out, where) + run(
            "gdb", "-nx", "-batch", "-ex", "info line *" + where, out)
        if len(re.findall(r"compact\.cpp", text)) != 2:
            return ["addr2line and gdb: " + text]
        return []

    def check_verifier(self, name, out):
        """Of each section, a few places that the conversion has changed are made as they were."""
        before, after = open(name, "rb").read(), open(out, "rb").read()
        was, now = sections(name), sections(out)
        missed, count = [], 0
        for section in was:
            if section not in now or section in (".shstrtab", ".strtab"):
                continue
            (a, size), (b, other) = was[section], now[section]
            changed = [i for i in range(min(size, other)) if before[a + i] != after[b + i]]
            for i in {changed[n] for n in (0, len(changed) // 2, -1)} if changed else ():
                wrong = bytearray(after)
                wrong[b + i] = before[a + i]
                open("wrong", "wb").write(wrong)
                count += 1
                done = subprocess.run([self.kpack, "verify", "--against=" + name, "wrong"], capture_output=True)
                if done.returncode == 0:
                    missed.append("verify misses %s+0x%x" % (section, i))
        return missed or ([] if count > 20 else ["only %d changes were tried" % count])

    def check_refused(self):
        self.link("plain", "pie.o", ["-fuse-ld=lld", "-pie"])
        if not run(self.kpack, "convert", "plain", "-o", "out-plain").endswith(" bytes\n"):
            return ["compact without relocations"]
        return []

    def run(self, only):
        self.compile()
        count = failed = 0
        for name, main, options in self.cases():
            if only not in name:
                continue
            count += 1
            try:
                problems = self.check(name, main, options)
            except SystemExit as gone:
                problems = [str(gone)]
            for problem in problems:
                print("%s: %s" % (name, problem))
            failed += bool(problems)
        for name in ("lld-pie", "bfd-nopie", "gold-so"):
            if only in name:
                for problem in self.check_verifier(name, "out-" + name):
                    print("%s: %s" % (name, problem))
        for problem in self.check_refused():
            print("plain: " + problem)
        print("%d binaries, %d failed" % (count, failed))


def hide(section, path, out):
    data = bytearray(open(path, "rb").read())
    section, _, number = section.partition("#")
    if number:
        at = sections(path)[section][0] + int(number) * 24 + 8
        data[at:at + 8] = bytes(8)
        section = ""  # all others stay
    for line in run("readelf", "-SW", path).splitlines():
        found = re.match(r" *\[ *(\d+)\] (\S+) +(RELA|DYNSYM) ", line)
        if not found or found[2] != section:
            continue
        at = int.from_bytes(data[40:48], "little") + int(found[1]) * 64
        if found[3] == "RELA":
            data[at + 4:at + 8] = (1).to_bytes(4, "little")
        else:
            data[at + 32:at + 40] = (24).to_bytes(8, "little")
    open(out, "wb").write(data)


def main():
    words = sys.argv[1:]
    only = ""
    if words[0].startswith("--hide="):
        return hide(words[0][len("--hide="):], *words[1:])
    if words[0].startswith("--only="):
        only = words.pop(0)[len("--only="):]
    Compact(*words).run(only)


if __name__ == "__main__":
    main()
