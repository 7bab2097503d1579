# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages libraries where their headers and tables are, and converts them: no crash, no
hang, and never a conversion that cannot be loaded where its input can.

  mutate.py KPACK COUNT LIBRARY...

The same numbers each time. A sample that shows a failure stays, as failure-<number>."""
import ctypes
import os
import random
import re
import struct
import subprocess
import sys


def places(data):
    """Ranges of the file where a change is worth something."""
    found = [(0, 64 + 56 * struct.unpack_from("<H", data, 56)[0])]
    offset, = struct.unpack_from("<Q", data, 40)
    count, = struct.unpack_from("<H", data, 60)
    if offset and offset + 64 * count <= len(data):
        found.append((offset, offset + 64 * count))
        for i in range(count):
            kind, = struct.unpack_from("<I", data, offset + 64 * i + 4)
            start, size = struct.unpack_from("<QQ", data, offset + 64 * i + 24)
            if kind in (4, 6, 11, 19) and size:  # RELA, DYNAMIC, DYNSYM, RELR
                found.append((start, start + size))
    for wanted in (rb"FPIH", rb"__CLANG_OFFLOAD_BUNDLE__"):
        found += [(m.start(), m.start() + 128) for m in re.finditer(wanted, data)]
    return found


def mutate(data, where, numbers):
    data = bytearray(data)
    for _ in range(numbers.choice((1, 1, 1, 2, 4))):
        begin, end = numbers.choice(where)
        at = numbers.randrange(begin, end)
        width = numbers.choice((1, 1, 2, 4, 8))
        at -= at % width
        if at + width > len(data):
            continue
        old = int.from_bytes(data[at:at + width], "little")
        new = numbers.choice((0, 1, 2 ** (8 * width) - 1, 2 ** (8 * width - 1), old + 1, old - 1, old + 8, old - 8,
                              old + 0x1000, old - 0x1000, old ^ 1 << numbers.randrange(8 * width),
                              numbers.getrandbits(8 * width), numbers.randrange(0, len(data))))
        data[at:at + width] = (new % 2 ** (8 * width)).to_bytes(width, "little")
    if numbers.random() < 0.02:
        del data[numbers.randrange(len(data)):]
    return bytes(data)


def loads(path):
    """Whether a process that loads it lives."""
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1), os.dup2(quiet, 2)
        try:
            ctypes.CDLL(os.path.abspath(path))
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def main():
    kpack, count, libraries = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    sources = [open(path, "rb").read() for path in libraries]
    wheres = [places(data) for data in sources]
    numbers = random.Random(12)
    failed = converted = 0
    for i in range(count):
        which = i % len(sources)
        data = mutate(sources[which], wheres[which], numbers)
        open("sample", "wb").write(data)
        why = ""
        try:
            done = subprocess.run([kpack, "convert", "sample", "-o", "sample.out"], capture_output=True, timeout=20)
            if done.returncode not in (0, 1):
                why = "exit %d: %s" % (done.returncode, done.stderr.decode(errors="replace")[-300:])
            elif done.returncode == 0 and b"converted" in done.stdout:
                converted += 1
                if loads("sample") and not loads("sample.out"):
                    why = "does not load any more"
        except subprocess.TimeoutExpired:
            why = "hangs"
        if why:
            failed += 1
            os.replace("sample", "failure-%d" % i)
            print("sample %d of %s: %s" % (i, libraries[which], why))
    print("%d samples, %s converted, %d failed" % (count, "some" if converted else "none", failed))


if __name__ == "__main__":
    main()
