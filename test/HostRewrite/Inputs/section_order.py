# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of sections that tools rely on: dwz, prelink and patchelf among others.

  section_order.py FILE...

Sections that are loaded come before the others, by their headers and in the file; both
kinds are in the order of their offsets, the loaded ones also in that of their addresses;
the table of section headers is the last. One line for each that is not."""
import struct
import sys

SHT_NOBITS, SHF_ALLOC, SHF_TLS = 8, 2, 0x400


class Section:
    def __init__(self, data, at):
        (self.name_at, self.type, self.flags, self.address, self.offset,
         self.size) = struct.unpack_from("<IIQQQQ", data, at)
        self.name = ""
        self.loaded = bool(self.flags & SHF_ALLOC)
        self.end = self.offset + (0 if self.type == SHT_NOBITS else self.size)


def read_sections(data):
    """The sections without the first, which is none, and the offset of their headers."""
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    sections = [Section(data, table + 64 * i) for i in range(count)]
    for section in sections:
        at = sections[names].offset + section.name_at
        section.name = data[at:data.index(b"\0", at)].decode()
    return sections[1:], table


def problems(path):
    data = open(path, "rb").read()
    sections, table = read_sections(data)
    loads_end = max((s.end for s in sections if s.loaded), default=0)
    found, other, address, offset = [], None, 0, 0
    for s in sections:
        if s.loaded and other:
            found.append("%s is loaded, and its header is behind that of %s" % (s.name, other))
        if not s.loaded:
            other = other or s.name
            if s.offset < loads_end:
                found.append("%s is not loaded, and stands in front of what is" % s.name)
        elif not s.flags & SHF_TLS:
            if s.address < address:
                found.append("%s has a lower address than a section before it" % s.name)
            address = s.address
        if s.type != SHT_NOBITS:
            if s.offset < offset:
                found.append("%s has a lower offset than a section before it" % s.name)
            offset = s.offset
    if sections and table < max(loads_end, offset):
        found.append("the section headers stand in front of a section")
    return found


if __name__ == "__main__":
    for file in sys.argv[1:]:
        for problem in problems(file):
            print("%s: %s" % (file, problem))
