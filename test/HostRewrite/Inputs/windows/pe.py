# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes Windows files, or looks at them.

  pe.py sign FILE              appends what looks like a signature
  pe.py append FILE TEXT       appends TEXT
  pe.py set FILE OFFSET BYTES  BYTES in hexadecimal; OFFSET counts from "PE"
  pe.py section FILE NAME      "<address> <size> <offset> <bytes in the file>"
  pe.py checksum FILE          "none", "right" or "wrong"
  pe.py place FILE NUMBER      its last symbol is in section NUMBER
  pe.py mutate KPACK COUNT FILE...  damages headers and tables, and converts, unpacks and
                               verifies what comes out: no crash, no hang, nothing that is
                               converted and not right"""
import os
import random
import struct
import subprocess
import sys


def parts(data):
    at, = struct.unpack_from("<I", data, 60)
    count, = struct.unpack_from("<H", data, at + 6)
    size, = struct.unpack_from("<H", data, at + 20)
    table = at + 24 + size
    return at, [(data[o:o + 8].rstrip(b"\0").decode(), o) + struct.unpack_from("<IIII", data, o + 8)
                for o in range(table, table + 40 * count, 40)]


def checksum(data, at):
    data = bytes(data[:at + 88]) + bytes(4) + bytes(data[at + 92:])
    total = sum(struct.unpack("<%dH" % (len(data) // 2), data[:len(data) // 2 * 2])) + sum(data[len(data) // 2 * 2:])
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total + len(data)


def sign(data):
    at, _ = parts(data)
    data += bytes(-len(data) % 8)
    struct.pack_into("<II", data, at + 24 + 112 + 4 * 8, len(data), 64)
    data += struct.pack("<IHH", 64, 0x200, 2) + b"signature".ljust(56, b"\0")


def place(data, number):
    at, _ = parts(data)
    table, count = struct.unpack_from("<II", data, at + 12)
    symbol = 0
    while symbol < count:
        last = table + symbol * 18
        symbol += 1 + data[last + 17]
    struct.pack_into("<H", data, last + 12, number)


def mutate(kpack, count, files):
    numbers = random.Random(12)
    done = failed = 0
    for i in range(count):
        name = files[i % len(files)]
        data = bytearray(open(name, "rb").read())
        at, sections = parts(data)
        places = [(at, at + 264), (at, at + 264), (at + 264, at + 264 + 40 * len(sections))]
        places += [(offset, offset + min(size, 128)) for _, _, _, _, size, offset in sections if size]
        for _ in range(numbers.choice((1, 1, 2, 4))):
            begin, end = numbers.choice(places)
            width = numbers.choice((1, 2, 4, 8))
            where = numbers.randrange(begin, end) // width * width
            old = int.from_bytes(data[where:where + width], "little")
            new = numbers.choice((0, 1, 2 ** (8 * width) - 1, 2 ** (8 * width - 1), old + 1, old - 1, old + 512,
                                  old - 512, old + 4096, old - 4096, old ^ 1 << numbers.randrange(8 * width),
                                  numbers.getrandbits(8 * width), numbers.randrange(len(data))))
            data[where:where + width] = (new % 2 ** (8 * width)).to_bytes(width, "little")
        if numbers.random() < 0.02:
            del data[numbers.randrange(len(data)):]
        open("sample", "wb").write(data)
        for arguments in (["convert", "sample", "-o", "sample.out"], ["verify", "--against=sample", "sample.out"],
                          ["unpack", "sample.out", "-o", "sample.fat"]):
            try:
                run = subprocess.run([kpack] + arguments, capture_output=True, timeout=20, text=True, errors="replace")
            except subprocess.TimeoutExpired:
                run = subprocess.CompletedProcess([], 124, "", "hangs")
            said = run.stdout + run.stderr
            # What is odd about the input is so still, but nothing may have become different.
            wrong = run.returncode not in (0, 1) or "the original" in run.stderr and arguments[0] == "verify"
            if wrong:
                failed += 1
                os.replace("sample", "failure-%d" % i)
                print("sample %d of %s: %s" % (i, name, said))
            if wrong or run.returncode or "converted" not in said and arguments[0] == "convert":
                break
            done += arguments[0] == "convert"
    print("%d samples, %s converted, %d failed" % (count, "some" if done else "none", failed))


def main():
    if sys.argv[1] == "mutate":
        return mutate(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
    name = sys.argv[2]
    data = bytearray(open(name, "rb").read())
    at, sections = parts(data)
    if sys.argv[1] == "section":
        for section, _, size, address, raw, offset in sections:
            if section == sys.argv[3]:
                print("%s %x %x %x %x" % (section, address, size, offset, raw))
        return
    if sys.argv[1] == "checksum":
        said, = struct.unpack_from("<I", data, at + 88)
        print("none" if not said else "right" if said == checksum(data, at) else "wrong")
        return
    if sys.argv[1] == "sign":
        sign(data)
    if sys.argv[1] == "place":
        place(data, int(sys.argv[3]))
    if sys.argv[1] == "append":
        data += sys.argv[3].encode()
    if sys.argv[1] == "set":
        where, new = at + int(sys.argv[3], 0), bytes.fromhex(sys.argv[4])
        data[where:where + len(new)] = new
    open(name, "wb").write(data)


if __name__ == "__main__":
    main()
