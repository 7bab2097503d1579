#!/usr/bin/env python3
"""Writes the golden archives beside this script, good/ and bad/.

An encoder of its own (format in docs/format/kpack-v1.md), so that the
library's writer and reader are held against something that is not them.
expected.txt says what a reader must make of each: status code (0: every entry
reads) and a part of the message. Run it again after a change and commit what
it wrote; unittests/Archive/GoldenTest.cpp checks every file.
"""

import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
HEADER = 64


class Raw(bytes):
    """Bytes that stand for themselves inside a value."""


def pack(value):
    """MessagePack in its shortest form; a list of pairs is a map."""
    if isinstance(value, Raw):
        return bytes(value)
    if isinstance(value, bytes):
        return struct.pack(">BB", 0xC4, len(value)) + value
    if isinstance(value, str):
        data = value.encode()
        if len(data) < 32:
            return bytes([0xA0 | len(data)]) + data
        return struct.pack(">BB", 0xD9, len(data)) + data
    if isinstance(value, int):
        if value < 0:
            return struct.pack(">b", value)
        for limit, code, form in ((1 << 8, 0xCC, ">BB"), (1 << 16, 0xCD, ">BH"),
                                  (1 << 32, 0xCE, ">BI"), (1 << 64, 0xCF, ">BQ")):
            if value < 128:
                return bytes([value])
            if value < limit:
                return struct.pack(form, code, value)
    if isinstance(value, dict):
        value = list(value.items())
        return bytes([0x80 | len(value)]) + b"".join(
            pack(key) + pack(item) for key, item in value)
    if isinstance(value, Pairs):
        return bytes([0x80 | len(value.items)]) + b"".join(
            pack(key) + pack(item) for key, item in value.items)
    if isinstance(value, list):
        return bytes([0x90 | len(value)]) + b"".join(map(pack, value))
    raise TypeError(value)


class Pairs:
    """A map whose keys may occur twice or be no strings."""

    def __init__(self, *items):
        self.items = items


def archive(blobs, toc, magic=b"KPAK", version=1, toc_offset=None):
    body = b"".join(blobs)
    if toc_offset is None:
        toc_offset = HEADER + len(body)
    start = magic + struct.pack("<IQ", version, toc_offset)
    return start.ljust(HEADER, b"\0") + body + pack(toc)


def frame(content, promised=None):
    """A zstd frame with its content size and one raw block."""
    size = len(content) if promised is None else promised
    return (b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", size) +
            struct.pack("<I", len(content) << 3 | 1)[:3] + content)


def zstd_blob(frames, count=None):
    return struct.pack("<I", len(frames) if count is None else count) + b"".join(
        struct.pack("<I", len(f)) + f for f in frames)


def entry(ordinal, size, **more):
    return {"type": "hsaco", "ordinal": ordinal, "original_size": size, **more}


def toc(**keys):
    base = {"format_version": 1, "group_name": "golden",
            "gfx_arch_family": "gfx1100", "gfx_arches": ["gfx1100"]}
    return {**base, **keys}


ONE = {"lib.so#0": {"gfx1100": entry(0, 5)}}


def none(**changes):
    """hello under scheme none, with some keys of its map changed."""
    keys = toc(compression_scheme="none", blobs=[{"offset": HEADER, "size": 5}],
               toc=ONE)
    keys.update(changes)
    return archive([b"hello"], {k: v for k, v in keys.items() if v is not None})


def none_entry(one):
    return none(toc={"lib.so#0": {"gfx1100": one}})


def zstd(blob, table=ONE, **changes):
    keys = toc(compression_scheme="zstd-per-kernel", zstd_offset=HEADER,
               zstd_size=len(blob), toc=table)
    keys.update(changes)
    return archive([blob], {k: v for k, v in keys.items() if v is not None})


def hello():
    return zstd_blob([frame(b"hello")])


# XXH3-128 in canonical form.
HASH_HELLO = bytes.fromhex("b5e9c1ad071b3e7fc779cfaa5e523818")
HASH_JELLY = bytes.fromhex("24e74bd28bb99f4b905dcb6fcebfff40")
HASH_BYE = bytes.fromhex("f09f829080e549a5a004db3a7906fbca")


def as_our_writer_does():
    """Byte for byte what ArchiveWriter gives (GoldenTest.cpp)."""
    hello_entry = entry(0, 5, hash=HASH_HELLO)
    return archive([b"hello", b"bye"], {
        "format_version": 1,
        "group_name": "golden",
        "gfx_arch_family": "gfx1100",
        "gfx_arches": ["gfx1100", "gfx90a:xnack+"],
        "compression_scheme": "none",
        "blobs": [{"offset": HEADER, "size": 5},
                  {"offset": HEADER + 5, "size": 3}],
        "archive_id": "0123456789abcdef",
        "toc": {"lib.so#0": {"gfx1100": hello_entry,
                             "gfx90a:xnack+": entry(1, 3, hash=HASH_BYE)},
                "lib.so#1": {"gfx1100": hello_entry}},
    })


# Where the two frames of two_kernels() stand; both have the same size.
PLACES = (HEADER + 8, HEADER + 12 + len(frame(b"hello")))


def two_kernels(place=0, **more):
    """hello and jelly; the hint of hello leads to the one at place."""
    size = len(frame(b"hello"))
    return zstd(zstd_blob([frame(b"hello"), frame(b"jelly")]), {
        "lib.so#0": {"gfx1100": entry(0, 5, offset=PLACES[place],
                                      stored_size=size, **more)},
        "lib.so#1": {"gfx1100": entry(1, 5)}})


def two_blobs(**more):
    """The same under scheme none."""
    return archive([b"hello", b"jelly"], toc(
        compression_scheme="none",
        blobs=[{"offset": HEADER, "size": 5}, {"offset": HEADER + 5, "size": 5}],
        toc={"lib.so#0": {"gfx1100": entry(0, 5, **more)},
             "lib.so#1": {"gfx1100": entry(1, 5)}}))


def deep(levels):
    return Raw(b"\x91" * levels + b"\xc0")


GOOD = {
    "writer-none": as_our_writer_does(),
    "none": none(),
    "no-scheme": none(compression_scheme=None),
    "no-arches": none(gfx_arches=None),
    "no-toc": none(toc=None),
    "gap-before-blob": archive(
        [b"\0" * 64, b"hello"],
        toc(compression_scheme="none", toc=ONE,
            blobs=[{"offset": HEADER + 64, "size": 5}])),
    "unknown-keys": none(
        build={"deep": [1, -1, {"x": b"y"}, Raw(b"\xc0"), Raw(b"\xc3")]},
        toc={"lib.so#0": {"gfx1100": entry(0, 5, metadata={"k": [1]}, note=7)}}),
    "bytes-after-toc": none() + b"\0\0",
    "archive-ids": none(archive_id={"a.so": "1", "lib.so": "2"}),
    "zstd": zstd(hello()),
    "zstd-empty": zstd(zstd_blob([]), table={}),
    "zstd-shared-ordinal": zstd(hello(), {"a#0": {"gfx1100": entry(0, 5)},
                                          "b#0": {"gfx1100": entry(0, 5)}}),
    "zstd-hint": zstd(hello(), {"lib.so#0": {"gfx1100": entry(
        0, 5, offset=HEADER + 8, stored_size=len(frame(b"hello")))}}),
    "zstd-two-kernels": two_kernels(),
    "none-hint": none_entry(entry(0, 5, offset=HEADER, stored_size=5)),
    "zstd-two-frames": zstd(zstd_blob([frame(b"he") + frame(b"llo")])),
    "zstd-slack": zstd(hello() + b"\0\0\0"),
}

# name: (bytes, status code, part of the message)
BAD = {
    "empty": (b"", 9, "the file is empty"),
    "short": (b"KPAK\1\0\0\0", 3,
              "offset 0: the file has 8 bytes, a kpack header alone has 64"),
    "magic": (archive([], toc(), magic=b"KPAC"), 3,
              "offset 0: not a kpack archive"),
    "version": (archive([], toc(), version=2), 4,
                "offset 4: container version 2 is not supported; update kpack"),
    "toc-beyond": (archive([], toc(), toc_offset=1 << 40), 3,
                   "offset 8: the table of contents at 1099511627776 is not "
                   "inside the file"),
    "toc-in-header": (archive([], toc(), toc_offset=8), 3,
                      "offset 8: the table of contents at 8 is not inside"),
    "toc-not-map": (archive([], [1, 2]), 10, "table of contents: not a map"),
    "toc-scalar": (archive([], 7), 10, "table of contents: not a map"),
    "toc-cut-off": (none()[:-4], 10, "table of contents: cut off"),
    "toc-never-used-byte": (archive([], Raw(b"\x81\xa1x\xc1")), 10,
                            "offset 67: table of contents: not MessagePack"),
    "toc-too-deep": (none(x=deep(40)), 10, "nested deeper than 32 levels"),
    "toc-huge-map": (archive([], Raw(b"\xdf\xff\xff\xff\xff")), 10, "cut off"),
    "key-not-str": (archive([], Pairs((1, 2))), 10, "a map key is not a str"),
    "key-is-map": (archive([], Pairs(({}, 2))), 10, "a map key is not a str"),
    "key-twice": (archive([], Pairs(("group_name", "a"), ("group_name", "b"))),
                  10, "key 'group_name' occurs twice"),
    "group-name-type": (none(group_name=1), 10, "'group_name' is not a str"),
    "arches-type": (none(gfx_arches="gfx1100"), 10,
                    "'gfx_arches' has the wrong type"),
    "arches-map": (none(gfx_arches={"a": 1}), 10,
                   "'gfx_arches' has the wrong type"),
    "arches-item": (none(gfx_arches=["gfx1100", 1]), 10,
                    "'gfx_arches' has an item that is not a name"),
    "arches-nested": (none(gfx_arches=[["gfx1100"]]), 10,
                      "an item of 'gfx_arches' has the wrong type"),
    "contents-type": (none(toc=[]), 10, "'toc' has the wrong type"),
    "binary-scalar": (none(toc={"a#0": 1}), 10, "binary 'a#0' is not a map"),
    "binary-array": (none(toc={"a#0": []}), 10,
                     "binary 'a#0' has the wrong type"),
    "binary-twice": (none(toc=Pairs(("a", {}), ("b", {}), ("a", {}))), 10,
                     "binary 'a' occurs twice"),
    "entry-scalar": (none_entry("hsaco"), 10,
                     "entry 'lib.so#0' for 'gfx1100' is not a map"),
    "entry-array": (none_entry([]), 10,
                    "entry 'lib.so#0' for 'gfx1100' has the wrong type"),
    "entry-twice": (none(toc={"a#0": Pairs(("gfx1100", entry(0, 5)),
                                           ("gfx1100", entry(0, 5)))}), 10,
                    "entry 'a#0' for 'gfx1100' occurs twice"),
    "entry-key-twice": (none_entry(Pairs(("ordinal", 0), ("ordinal", 1))), 10,
                        "key 'ordinal' occurs twice"),
    "entry-no-ordinal": (none_entry({"original_size": 5}), 10,
                         "entry 'lib.so#0' for 'gfx1100' lacks 'ordinal' or "
                         "'original_size'"),
    "entry-no-size": (none_entry({"ordinal": 0}), 10, "lacks 'ordinal'"),
    "entry-ordinal-type": (none_entry(entry(-1, 5)), 10,
                           "entry 'lib.so#0' for 'gfx1100': 'ordinal' is not "
                           "an unsigned integer"),
    "entry-ordinal-map": (none_entry(entry({}, 5)), 10,
                          "'ordinal' has the wrong type"),
    "entry-type-type": (none_entry({"type": 1}), 10, "'type' is not a str"),
    "entry-hash-size": (none_entry(entry(0, 5, hash=b"short")), 10,
                        "'hash' is not a bin of 16 bytes"),
    "blobs-type": (none(blobs=1), 10, "'blobs' has the wrong type"),
    "blob-scalar": (none(blobs=[1]), 10, "blob 0 is not a map"),
    "blob-array": (none(blobs=[[]]), 10, "blob 0 has the wrong type"),
    "blob-no-size": (none(blobs=[{"offset": 64}]), 10,
                     "blob 0 lacks 'offset' or 'size'"),
    "blob-offset-type": (none(blobs=[{"offset": "x", "size": 5}]), 10,
                         "blob 0 is not an unsigned integer"),
    "archive-id-type": (none(archive_id=1), 10, "'archive_id' is not a str"),
    "archive-id-item": (none(archive_id={"lib.so": 1}), 10,
                        "'archive_id' of 'lib.so' is not a str"),
    "archive-id-nested": (none(archive_id={"lib.so": {}}), 10,
                          "an item of 'archive_id' has the wrong type"),
    "scheme-unknown": (none(compression_scheme="lz4"), 4,
                       "compression scheme 'lz4' is not supported; update kpack"),
    "scheme-type": (none(compression_scheme=0), 10,
                    "'compression_scheme' is not a str"),
    "zstd-no-offset": (zstd(hello(), zstd_offset=None), 3,
                       "lacks 'zstd_offset' or 'zstd_size'"),
    "zstd-no-size": (zstd(hello(), zstd_size=None), 3,
                     "lacks 'zstd_offset' or 'zstd_size'"),
    "zstd-outside": (zstd(hello(), zstd_size=1 << 20), 3,
                     "the zstd blob of 1048576 bytes at 64 does not lie between"),
    "zstd-in-header": (zstd(hello(), zstd_offset=0), 3, "bytes at 0 does not lie"),
    "zstd-too-small": (zstd(hello(), zstd_size=3), 3, "the zstd blob of 3 bytes"),

    # These open; reading the entry fails.
    "none-ordinal": (none_entry(entry(9, 5)), 3,
                     "entry 'lib.so#0' for 'gfx1100' names blob 9 of 1"),
    "none-blob-beyond": (none(blobs=[{"offset": HEADER, "size": 1 << 33}]), 3,
                         "has its 8589934592 bytes at 64, not between header"),
    "none-blob-wraps": (none(blobs=[{"offset": HEADER, "size": (1 << 64) - 1}]),
                        3, "has its 18446744073709551615 bytes at 64"),
    "none-blob-in-header": (none(blobs=[{"offset": 0, "size": 5}]), 3,
                            "has its 5 bytes at 0, not between header"),
    "none-size": (none_entry(entry(0, 6)), 3,
                  "offset 64: entry 'lib.so#0' for 'gfx1100': the table of "
                  "contents says 6 bytes, the blob has 5"),
    "none-hash": (none_entry(entry(0, 5, hash=HASH_BYE)), 6,
                  "offset 64: entry 'lib.so#0' for 'gfx1100': the bytes do not "
                  "match their hash"),
    "none-other-hint": (two_blobs(offset=HEADER + 5, stored_size=5), 3,
                        f"entry 'lib.so#0' for 'gfx1100': 'offset' and "
                        f"'stored_size' say 5 bytes at {HEADER + 5}, its ordinal "
                        f"5 bytes at {HEADER}"),
    "none-other-hint-and-hash": (
        two_blobs(offset=HEADER + 5, stored_size=5, hash=HASH_JELLY), 3,
        "'offset' and 'stored_size' say"),
    "none-zero-hint": (two_blobs(offset=0, stored_size=5), 3,
                       "'offset' and 'stored_size' say 5 bytes at 0"),
    "zstd-stale-hint": (zstd(hello(), {"lib.so#0": {"gfx1100": entry(
        0, 5, offset=HEADER + 9, stored_size=4, hash=HASH_HELLO)}}), 3,
        "'offset' and 'stored_size' say 4 bytes at 73, its ordinal"),
    "zstd-other-hint": (two_kernels(1, hash=HASH_HELLO), 3,
                        f"'offset' and 'stored_size' say 17 bytes at {PLACES[1]}"
                        f", its ordinal 17 bytes at {PLACES[0]}"),
    "zstd-other-hint-no-hash": (two_kernels(1), 3,
                                "'offset' and 'stored_size' say"),
    "zstd-other-hint-and-hash": (two_kernels(1, hash=HASH_JELLY), 3,
                                 "'offset' and 'stored_size' say"),
    "zstd-count": (zstd(zstd_blob([frame(b"hello")], count=1 << 21)), 3,
                   "offset 64: the zstd blob claims 2097152 kernels, the format "
                   "allows 1048576"),
    "zstd-ends": (zstd(zstd_blob([frame(b"hello")], count=2)), 3,
                  "the zstd blob ends before kernel 1 of 2"),
    "zstd-frame-beyond": (zstd(struct.pack("<II", 1, 1 << 20) + frame(b"hello")),
                          3, "offset 68: kernel 0 of 1048576 bytes reaches "
                          "beyond the zstd blob"),
    "zstd-ordinal": (zstd(hello(), {"lib.so#0": {"gfx1100": entry(7, 5)}}), 3,
                     "names kernel 7 of 1"),
    "zstd-not-a-frame": (zstd(zstd_blob([b"garbage, no frame"])), 3,
                         "offset 72: entry 'lib.so#0' for 'gfx1100': not a whole "
                         "zstd frame"),
    "zstd-size": (zstd(hello(), {"lib.so#0": {"gfx1100": entry(0, 6)}}), 3,
                  "the table of contents says 6 bytes, the zstd frame 5"),
    "zstd-promise": (zstd(zstd_blob([frame(b"hello", promised=1 << 31)]),
                          {"lib.so#0": {"gfx1100": entry(0, 1 << 31)}}), 3,
                     "the zstd frame promises 2147483648 bytes, which 17 bytes "
                     "cannot hold"),
    "zstd-lying-size": (zstd(zstd_blob([frame(b"hello", promised=6)]),
                             {"lib.so#0": {"gfx1100": entry(0, 6)}}), 6,
                        "entry 'lib.so#0' for 'gfx1100': zstd: "),
    "zstd-hash": (zstd(hello(), {"lib.so#0": {"gfx1100": entry(
        0, 5, hash=HASH_BYE)}}), 6, "the bytes do not match their hash"),
}


def write(folder, name, data):
    (HERE / folder).mkdir(exist_ok=True)
    (HERE / folder / (name + ".kpack")).write_bytes(data)


def main():
    lines = ["# <file> <status code> <part of the message>;"
             " written by make-archives.py"]
    for name, data in GOOD.items():
        write("good", name, data)
        lines.append(f"good/{name}.kpack 0")
    for name, (data, code, message) in BAD.items():
        write("bad", name, data)
        lines.append(f"bad/{name}.kpack {code} {message}")
    (HERE / "expected.txt").write_text("\n".join(lines) + "\n")


main()
