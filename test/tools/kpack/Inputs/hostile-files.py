"""Writes a library of 120 bytes whose dynamic table is said to go on far behind its
end, and with two names a Windows program whose PE header is said to be there."""
import struct
import sys


def library():
    identity = b"\x7fELF\2\1\1" + bytes(9)
    header = struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    dynamic = struct.pack("<IIQQQQQQ", 2, 6, 0, 0, 0, 1 << 40, 1 << 40, 8)
    return identity + header + dynamic


def far_header(program):
    return program[:0x3C] + struct.pack("<I", 0x70000000) + program[0x40:]


if len(sys.argv) == 2:
    open(sys.argv[1], "wb").write(library())
else:
    open(sys.argv[2], "wb").write(far_header(open(sys.argv[1], "rb").read()))
