#!/usr/bin/env python3
"""Damages a linked ELF file as rewriters do that get something wrong.

    damage-elf.py HOW IN OUT

HOW is the name of a function below. Section headers stay as they are, so that
whoever goes by them sees nothing. Tables are found by program headers and the
dynamic table, the wrapper by its first twelve bytes.
"""
import struct
import sys

LOAD, DYNAMIC, PHDR, TLS, NULL = 1, 2, 6, 7, 0
RELA, RELASZ, RELAENT, RELR, RELRSZ, INIT_ARRAY = 7, 8, 9, 36, 35, 25
PHDR_FIELDS = {"type": (0, "I"), "flags": (4, "I"), "offset": (8, "Q"), "vaddr": (16, "Q"),
               "filesz": (32, "Q"), "memsz": (40, "Q"), "align": (48, "Q")}


class Elf:
    def __init__(self, data):
        self.data = bytearray(data)
        self.phoff, self.phnum = self.get(32, "Q"), self.get(56, "H")
        self.wrapper_offset = self.data.find(struct.pack("<II", 0x4B504948, 1))
        if self.wrapper_offset >= 0:
            self.wrapper = self.address_of(self.wrapper_offset)
            self.marker = self.pointer()

    def get(self, at, form):
        return struct.unpack_from("<" + form, self.data, at)[0]

    def put(self, at, form, value):
        struct.pack_into("<" + form, self.data, at, value)

    def field(self, index, name):
        return self.get(self.phoff + 56 * index + PHDR_FIELDS[name][0], PHDR_FIELDS[name][1])

    def change(self, index, **fields):
        for name, value in fields.items():
            self.put(self.phoff + 56 * index + PHDR_FIELDS[name][0], PHDR_FIELDS[name][1], value)

    def of_type(self, kind):
        return [i for i in range(self.phnum) if self.field(i, "type") == kind]

    def load_of(self, address):
        return next(i for i in self.of_type(LOAD)
                    if self.field(i, "vaddr") <= address < self.field(i, "vaddr") + self.field(i, "memsz"))

    def address_of(self, offset):
        i = next(i for i in self.of_type(LOAD)
                 if self.field(i, "offset") <= offset < self.field(i, "offset") + self.field(i, "filesz"))
        return offset - self.field(i, "offset") + self.field(i, "vaddr")

    def offset_of(self, address):
        i = self.load_of(address)
        return address - self.field(i, "vaddr") + self.field(i, "offset")

    def tag_at(self, tag):
        at = self.field(self.of_type(DYNAMIC)[0], "offset")
        while self.get(at, "Q"):
            if self.get(at, "Q") == tag:
                return at
            at += 16
        return None

    def tag(self, tag):
        at = self.tag_at(tag)
        return self.get(at + 8, "Q") if at else None

    def rela_of(self, place):
        at = self.tag(RELA) and self.offset_of(self.tag(RELA))
        for entry in range(at or 0, (at or 0) + (self.tag(RELASZ) or 0), 24):
            if self.get(entry, "Q") == place:
                return entry
        return None

    def pointer(self):
        entry = self.of_type(DYNAMIC) and self.rela_of(self.wrapper + 8)
        return self.get(entry + 16 if entry else self.wrapper_offset + 8, "Q")

    def relr_bits(self):
        """(offset of the word, bit or None for an address, place) of each entry."""
        at, base = self.offset_of(self.tag(RELR)), 0
        for word in range(at, at + self.tag(RELRSZ), 8):
            value = self.get(word, "Q")
            if not value & 1:
                yield word, None, value
                base = value + 8
                continue
            for bit in range(1, 64):
                if value >> bit & 1:
                    yield word, bit, base + 8 * (bit - 1)
            base += 63 * 8


def null_load(elf):
    elf.change(elf.load_of(elf.marker), type=NULL)


def shift_offset(elf):
    load = elf.load_of(elf.marker)
    elf.change(load, offset=elf.field(load, "offset") + 0x1000)


def rela_size_zero(elf):
    elf.put(elf.tag_at(RELASZ) + 8, "Q", 0)


def rela_missing(elf):
    elf.put(elf.tag_at(RELA), "Q", 0x6FFFFEF0)


def rela_elsewhere(elf):
    elf.put(elf.rela_of(elf.wrapper + 8), "Q", elf.wrapper + 16)


def addend_beside(elf):
    entry = elf.rela_of(elf.wrapper + 8)
    elf.put(entry + 16, "Q", elf.marker + 1)


def pointer_null(elf):
    elf.put(elf.wrapper_offset + 8, "Q", 0)


def cut_load(elf):
    load = elf.load_of(elf.marker)
    elf.change(load, filesz=elf.marker + 8 - elf.field(load, "vaddr"))


def no_read(elf):
    elf.change(elf.load_of(elf.marker), flags=0)


def dynamic_address(elf):
    dynamic = elf.of_type(DYNAMIC)[0]
    elf.change(dynamic, vaddr=elf.field(dynamic, "vaddr") + 0x100000)


def dynamic_offset(elf):
    dynamic = elf.of_type(DYNAMIC)[0]
    elf.change(dynamic, offset=elf.field(dynamic, "offset") + 16)


def no_dynamic(elf):
    elf.change(elf.of_type(DYNAMIC)[0], type=NULL)


def endless_dynamic(elf):
    dynamic = elf.of_type(DYNAMIC)[0]
    at = elf.field(dynamic, "offset")
    for entry in range(at, at + elf.field(dynamic, "filesz"), 16):
        if elf.get(entry, "Q") == 0:
            elf.put(entry, "Q", 0x6FFFFEF0)


def relr_bit(elf):
    word, bit, _ = next(x for x in elf.relr_bits() if x[2] == elf.wrapper + 8)
    # An address that has no bit of its own becomes that of its neighbour.
    elf.put(word, "Q", elf.get(word, "Q") + 8 if bit is None else elf.get(word, "Q") & ~(1 << bit))


def relr_missing(elf):
    elf.put(elf.tag_at(RELRSZ) + 8, "Q", 0)


def incongruent(elf):
    load = elf.load_of(elf.marker)
    elf.change(load, vaddr=elf.field(load, "vaddr") + 0x10)


def big_pages(elf):
    for load in elf.of_type(LOAD):
        elf.change(load, align=0x200000)


def out_of_order(elf):
    first, second = elf.of_type(LOAD)[:2]
    a, b = elf.phoff + 56 * first, elf.phoff + 56 * second
    elf.data[a:a + 56], elf.data[b:b + 56] = elf.data[b:b + 56], elf.data[a:a + 56]


def cut_file(elf):
    del elf.data[elf.field(elf.of_type(LOAD)[-1], "offset"):]


def no_constructor(elf):
    elf.put(elf.rela_of(elf.tag(INIT_ARRAY)) + 16, "Q", elf.marker)


def marker_bytes(elf):
    elf.data[elf.offset_of(elf.marker)] = 0xC1


def headers_moved(elf):
    table = bytes(elf.data[elf.phoff:elf.phoff + 56 * elf.phnum])
    elf.put(32, "Q", len(elf.data))
    elf.data += table


def strings_elsewhere(elf):
    elf.put(elf.tag_at(5) + 8, "Q", elf.tag(5) + 1)


def code_byte(elf):
    text = next(i for i in elf.of_type(LOAD) if elf.field(i, "flags") & 1)
    elf.data[elf.field(text, "offset") + elf.field(text, "filesz") - 1] ^= 1


def other_addend(elf):
    at = elf.offset_of(elf.tag(RELA))
    while elf.get(at, "Q") in (elf.wrapper + 8, elf.wrapper + 32):
        at += 24
    elf.put(at + 16, "Q", elf.get(at + 16, "Q") + 16)


def other_library(elf):
    elf.put(elf.tag_at(1), "Q", 0x6FFFFEF0)


def writable(elf):
    load = elf.load_of(elf.marker)
    elf.change(load, flags=6)


def as_converted(elf):
    """Host-only, and not smaller: the marker takes the place of the first bundle,
    for all wrappers, and zeros that of the others."""
    at = elf.data.find(struct.pack("<II", 0x48495046, 1))
    count = 0
    while elf.get(at + 24 * count, "I") == 0x48495046:
        count += 1
    address = elf.address_of(at)
    entries = [elf.rela_of(address + 24 * i + 8) for i in range(count)]
    bundles = [elf.get(entry + 16, "Q") for entry in entries]
    for index in range(count):
        offset = elf.offset_of(bundles[index])
        size = max(elf.get(place, "Q") + elf.get(place + 8, "Q") for place in places(elf, offset))
        elf.data[offset:offset + size] = bytes(size)
        elf.put(at + 24 * index, "I", 0x4B504948)
        elf.put(at + 24 * index + 16, "I", index)
        elf.put(entries[index] + 16, "Q", bundles[0])
    offset = elf.offset_of(bundles[0])
    elf.data[offset:offset + len(MARKER)] = MARKER


def places(elf, bundle):
    """Where the entries of a bundle stand."""
    at = bundle + 32
    for _ in range(elf.get(bundle + 24, "Q")):
        yield at
        at += 24 + elf.get(at + 16, "Q")


def move_hash(elf):
    """DT_GNU_HASH into the place of device code, and something else where it was."""
    old, new = elf.tag(0x6FFFFEF5), elf.marker + 0x200
    at = elf.offset_of(old)
    buckets, _, words = struct.unpack_from("<III", elf.data, at)
    size = 16 + 8 * words + 4 * buckets + 4 * 16
    elf.data[elf.offset_of(new):elf.offset_of(new) + size] = elf.data[at:at + size]
    elf.data[at:at + 16] = bytes(16)
    elf.put(elf.tag_at(0x6FFFFEF5) + 8, "Q", new)


def move_hash_and_change(elf):
    move_hash(elf)
    elf.data[elf.offset_of(elf.tag(0x6FFFFEF5)) + 16] ^= 1  # of the Bloom filter


def symbol_section(elf):
    elf.put(elf.offset_of(elf.tag(6)) + 24 * last_symbol(elf) + 6, "H", 1)


def symbol_undefined(elf):
    elf.put(elf.offset_of(elf.tag(6)) + 24 * last_symbol(elf) + 6, "H", 0)


def last_symbol(elf):
    """A defined one: linkers put them behind those of other files."""
    at = elf.offset_of(elf.tag(0x6FFFFEF5))
    buckets, _, words = struct.unpack_from("<III", elf.data, at)
    return max(struct.unpack_from("<%dI" % buckets, elf.data, at + 16 + 8 * words))


def same_index(elf):
    elf.put(elf.wrapper_offset + 24 + 16, "I", 0)


def unknown_version(elf):
    """Of the last symbol: glibc reads behind the versions that there are."""
    elf.put(elf.offset_of(elf.tag(0x6FFFFFF0)) + 2 * last_symbol(elf), "H", 0x1001)


def nameless_need(elf):
    """A version of a library that has no name, like the program itself: the name is
    in the zeros between bundles, far behind the strings."""
    zeros = elf.address_of(elf.data.find(b"\x11" * 5000) - 64)
    elf.put(elf.offset_of(elf.tag(0x6FFFFFFE)) + 4, "I", zeros - elf.tag(5))


def relro_in_bundle(elf):
    relro = elf.of_type(0x6474E552)[0]
    elf.change(relro, vaddr=elf.address_of(elf.data.find(b"\x11" * 5000)))


def swap_sizes(elf):
    """PT_PHDR becomes short, and PT_TLS covers tables behind thread-local data."""
    headers, tls = elf.of_type(PHDR)[0], elf.of_type(TLS)[0]
    for name in "filesz", "memsz":
        long, short = elf.field(headers, name), elf.field(tls, name)
        elf.change(headers, **{name: short})
        elf.change(tls, **{name: long})


def long_tls(elf):
    """Up to the middle of the dynamic table."""
    tls = elf.of_type(TLS)[0]
    size = elf.field(elf.of_type(DYNAMIC)[0], "vaddr") + 64 - elf.field(tls, "vaddr")
    elf.change(tls, filesz=size, memsz=size)


def longer_tls(elf):
    """By what stands between it and the dynamic table."""
    tls = elf.of_type(TLS)[0]
    size = elf.field(elf.of_type(DYNAMIC)[0], "vaddr") - elf.field(tls, "vaddr")
    elf.change(tls, filesz=size, memsz=size)


def text(value):
    return bytes([0xA0 + len(value)]) + value.encode()


MARKER = (b"\x82" + text("kpack_search_paths") + b"\x91" + text(".kpack/pie_@GFXARCH@.kpack")
          + text("kernel_name") + text("pie"))

if __name__ == "__main__":
    how, source, target = sys.argv[1:]
    with open(source, "rb") as file:
        ELF = Elf(file.read())
    globals()[how.replace("-", "_")](ELF)
    with open(target, "wb") as file:
        file.write(ELF.data)
