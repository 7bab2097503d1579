# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links fat files, converts each, unpacks that, and compares the code objects of both, wrapper
by wrapper, with a reader of its own.

  unpack.py KPACK CLANG

Of each: 'kpack verify --against=' is content, a wrapper leads to the code objects it led to,
a second conversion writes the same archives, and GNU strip and objcopy leave it right."""
import os
import shutil
import struct
import subprocess
import sys

from matrix import news


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise RuntimeError("%s: exit %d\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))
    return done.stdout


def write_source(count):
    """Wrappers with code for two targets each, of different sizes; every fifth has that of the one before."""
    text = ".section .hipFatBinSegment,\"aw\"\n.p2align 3\n"
    units = [n if n % 5 != 4 else n - 1 for n in range(count)]
    for n in units:
        text += ".long 0x48495046, 1\n.quad .Lb%d\n.quad 0\n" % n
    text += ".section .hip_fatbin,\"a\",@progbits\n"
    for n in sorted(set(units)):
        text += ".p2align 12\n.Lb%d:\n.ascii \"__CLANG_OFFLOAD_BUNDLE__\"\n.quad 3\n.quad 4096, 0, 30\n" % n
        text += ".ascii \"host-x86_64-unknown-linux-gnu-\"\n"
        for at, target in ((4096, "gfx1100"), (16384, "gfx90a:xnack+")):
            name = "%d-%s.co" % (n, target[:7])
            bundled = "hipv4-amdgcn-amd-amdhsa--" + target
            with open(name, "wb") as out:  # each one's own, by what is behind it
                out.write(open(target[:6] + ".co", "rb").read() + b"%d" % n)
            text += ".quad %d, %d, %d\n.ascii \"%s\"\n" % (at, os.path.getsize(name), len(bundled), bundled)
        for at, target in ((4096, "gfx1100"), (16384, "gfx90a:xnack+")):
            text += ".org .Lb%d + %d\n.incbin \"%d-%s.co\"\n" % (n, at, n, target[:7])
    text += ".section .note.GNU-stack,\"\",@progbits\n"
    open("fat%d.s" % count, "w").write(text)


class Elf:
    """Program headers and relocations, and what wrappers lead to."""

    def __init__(self, path):
        self.data = open(path, "rb").read()
        at, = struct.unpack_from("<Q", self.data, 32)
        count, = struct.unpack_from("<H", self.data, 56)
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.data, at + 56 * i) for i in range(count)]

    def offset(self, address):
        for kind, _, offset, start, _, size, _, _ in self.segments:
            if kind == 1 and start <= address < start + size:
                return offset + address - start
        raise RuntimeError("0x%x is not loaded" % address)

    def addends(self):
        """By address, of RELA alone: RELR leaves them in place."""
        found = {}
        for kind, _, offset, _, _, size, _, _ in self.segments:
            if kind == 2:
                table = dict(struct.unpack_from("<QQ", self.data, offset + 16 * i) for i in range(size // 16))
                if 7 in table:
                    for i in range(table[8] // 24):
                        where, info, addend = struct.unpack_from("<QQq", self.data, self.offset(table[7]) + 24 * i)
                        if info == 8:  # R_X86_64_RELATIVE
                            found[where] = addend
        return found

    def section(self, name):
        at, = struct.unpack_from("<Q", self.data, 40)
        count, names = struct.unpack_from("<HH", self.data, 60)
        headers = [struct.unpack_from("<IIQQQQ", self.data, at + 64 * i) for i in range(count)]
        for header in headers:
            start = headers[names][4] + header[0]
            if self.data[start:self.data.index(b"\0", start)] == name:
                return header
        raise RuntimeError("no section %s" % name)

    def wrappers(self):
        """Of each its code objects, target by target."""
        _, _, _, address, offset, size = self.section(b".hipFatBinSegment")
        _, _, _, begin, _, length = self.section(b".hip_fatbin")
        addends = self.addends()
        for at in range(0, size, 24):
            magic, version, pointer, reserved = struct.unpack_from("<IIQQ", self.data, offset + at)
            pointer = addends.get(address + at + 8, pointer)
            if (magic, version, reserved) != (0x48495046, 1, 0) or not begin <= pointer < begin + length:
                raise RuntimeError("wrapper %d: 0x%x %d 0x%x %d" % (at // 24, magic, version, pointer, reserved))
            yield self.bundle(self.offset(pointer))

    def bundle(self, at):
        if self.data[at:at + 24] != b"__CLANG_OFFLOAD_BUNDLE__":
            raise RuntimeError("no bundle")
        count, = struct.unpack_from("<Q", self.data, at + 24)
        objects, entry = [], at + 32
        for _ in range(count):
            start, size, length = struct.unpack_from("<QQQ", self.data, entry)
            name = self.data[entry + 24:entry + 24 + length]
            entry += 24 + length
            if not name.startswith(b"host"):
                objects.append((name, self.data[at + start:at + start + size]))
        return objects


def archives(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}


def check(kpack, name, is_run):
    for folder in ("host", "fat", "again"):
        os.makedirs(os.path.join(name, folder))
    fat, host, back = name + "/app", name + "/host/app", name + "/fat/app"
    os.rename("linked", fat)
    run(kpack, "convert", fat, "-o", host)
    before = open(host, "rb").read()
    run(kpack, "unpack", host, "-o", back)
    if open(host, "rb").read() != before:
        raise RuntimeError("the input has changed")
    run(kpack, "unpack", host, "-o", name + "/second")
    if open(back, "rb").read() != open(name + "/second", "rb").read():
        raise RuntimeError("not the same a second time")
    run(kpack, "verify", host, "--against=" + back)
    if news(fat, back):
        raise RuntimeError("\n".join(news(fat, back)))
    wanted = list(Elf(fat).wrappers())
    for tool in ([], ["objcopy"], ["strip"], ["llvm-strip"]):
        shutil.copy(back, name + "/changed")
        if tool:
            run(*tool, name + "/changed")
        if list(Elf(name + "/changed").wrappers()) != wanted:
            raise RuntimeError("other code objects, after %s" % (tool or "nothing"))
        if is_run:
            run(name + "/changed")
    run(kpack, "convert", back, "-o", name + "/again/app")
    if archives(name + "/host/.kpack") != archives(name + "/again/.kpack"):
        raise RuntimeError("a second conversion has other archives")
    run(kpack, "verify", name + "/again/app")


def main():
    kpack, clang = sys.argv[1:]
    open("main.cpp", "w").write("int main() { return 0; }\n")
    run(clang, "-fPIC", "-c", "main.cpp")
    open("code.s", "w").write("s_endpgm\n")
    for name, target in (("gfx110", "gfx1100"), ("gfx90a", "gfx90a:xnack+")):
        run(clang, "--target=amdgcn-amd-amdhsa", "-mcpu=" + target, "-nogpulib", "code.s", "-o", name + ".co")
    kinds = {"pie": ["-pie"], "nopie": ["-no-pie"], "so": ["-shared"],
             "relr": ["-pie", "-Wl,-z,pack-relative-relocs"], "build-id": ["-pie", "-Wl,--build-id"],
             "pages": ["-shared", "-Wl,-z,max-page-size=2097152"]}
    count = failed = 0
    for wrappers in (1, 2, 30):
        write_source(wrappers)
        run(clang, "-c", "fat%d.s" % wrappers)
        for linker in ("lld", "bfd"):
            for kind, how in kinds.items():
                name = "%s-%s-%d" % (linker, kind, wrappers)
                run(clang, "-fuse-ld=" + linker, *how, "main.o", "fat%d.o" % wrappers, "-o", "linked")
                count += 1
                try:
                    check(kpack, name, "-shared" not in how)
                except RuntimeError as error:
                    failed += 1
                    print("%s: %s" % (name, error))
    print("%d binaries, %d failed" % (count, failed))


if __name__ == "__main__":
    main()
