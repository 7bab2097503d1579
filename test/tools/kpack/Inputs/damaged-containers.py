#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damaged-containers.py KPACK CODE-OBJECT

Writes containers of device code, each damaged in one way, and has `kpack inspect`
and `kpack ref` read them: both must refuse each with its message. Written from the
descriptions of the formats. First the good ones, so that the damage is the reason."""
import hashlib
import struct
import subprocess
import sys
import zlib

kpack, code = sys.argv[1], open(sys.argv[2], "rb").read()
HIP = b"hipv4-amdgcn-amd-amdhsa--"


def bundle(entries, count=None):
    """Of (id, offset or None, size or None, bytes)."""
    at = 32 + sum(24 + len(e[0]) for e in entries)
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries) if count is None else count)
    body = b""
    for name, offset, size, data in entries:
        head += struct.pack("<QQQ", at + len(body) if offset is None else offset,
                            len(data) if size is None else size, len(name)) + name
        body += data
    return head + body


def ccob(plain, version=3, method=0, plain_size=None, digest=None, data=None, more=0):
    data = zlib.compress(plain) if data is None else data
    size = len(plain) if plain_size is None else plain_size
    digest = hashlib.md5(plain).digest()[:8] if digest is None else digest
    head = b"CCOB" + struct.pack("<HH", version, method)
    if version == 3:
        return head + struct.pack("<QQ", 32 + len(data) + more, size) + digest + data
    if version == 2:
        return head + struct.pack("<II", 24 + len(data) + more, size) + digest + data
    return head + struct.pack("<I", size) + digest + data


def offload_binary(version, size_more=0, image_at=None, count=1):
    texts = b"triple\0amdgcn-amd-amdhsa\0arch\0gfx1100\0"
    slot = 16 if version == 1 else 24
    base = 72 + 2 * slot
    values = [(0, 7, 17), (25, 30, 7)]
    slots = b"".join(struct.pack("<QQQ", base + k, base + v, n)[:slot] for k, v, n in values)
    at = base + len(texts)
    entry = struct.pack("<HHIQQQQ", 1, 4, 0, 72, 2, at if image_at is None else image_at, len(code))
    body = entry + slots + texts + code
    return (b"\x10\xff\x10\xad" + struct.pack("<IQQQ", version, 32 + len(body) + size_more, 32,
                                              40 if version == 1 else count) + body)


good = bundle([(b"host-x86_64-unknown-linux-gnu-", None, None, b""), (HIP + b"gfx1100", None, None, code)])
# Together more than there is: so an entry's bytes are another's as well.
overlap = bundle([(HIP + b"gfx%d" % i, 4096, 40000, b"") for i in range(1100, 1110)])
overlap = (overlap.ljust(4096, b"\0") + code).ljust(4096 + 40000, b"\0")
GOOD = [code, good, ccob(good), ccob(good, 2), ccob(good, 1), ccob(good, digest=bytes(8)), offload_binary(1),
        offload_binary(2), good + bytes(5000) + ccob(good) + code + offload_binary(2)]
BAD = [
    (good[:40], "offload bundle is cut off in its entry table"),
    (good[:-1], "offload bundle is cut off in the code for hipv4-amdgcn-amd-amdhsa--gfx1100"),
    (bundle([(HIP + b"gfx1100", None, None, code)], count=1 << 60), "offload bundle is cut off in its entry table"),
    (bundle([(HIP + b"gfx1100", (1 << 64) - 1, 2, code)]), "offload bundle is cut off in the code"),
    (bundle([(HIP + b"gfx1100", 8, None, code)]), "offload bundle has code that overlaps its entry table"),
    (overlap, "offload bundle has code that overlaps"),
    (bundle([(HIP + b"gfx1100", None, None, code)] * 2), "offload bundle has two entries for gfx1100"),
    (bundle([(b"openmp-amdgcn-amd-amdhsa--gfx906", None, None, code)]), "offload bundle has an entry that is not HIP's"),
    (ccob(good)[:20], "offload bundle is cut off in its header"),
    (ccob(good)[:-1], "offload bundle is cut off in its compressed data"),
    (ccob(good, more=1), "offload bundle is cut off in its compressed data"),
    (ccob(good, version=4), "offload bundle has unknown version 4"),
    (ccob(good, method=2), "offload bundle has unknown compression 2"),
    (ccob(good, plain_size=1 << 50), "offload bundle claims an impossible size"),
    (ccob(good, plain_size=len(good) + 1), "offload bundle is shorter than its header says"),
    (ccob(good, plain_size=len(good) - 1), "offload bundle cannot be decompressed"),
    (ccob(good, data=b"rubbish"), "offload bundle"),
    (ccob(good, digest=b"12345678"), "offload bundle does not match its hash"),
    (ccob(good, 2, digest=b"12345678"), "offload bundle does not match its hash"),
    (ccob(good, 1, digest=b"12345678"), "offload bundle does not match its hash"),
    (ccob(b"no bundle"), "offload bundle is no bundle when decompressed"),
    (offload_binary(3), "offload binary: unknown version 3"),
    (offload_binary(1, size_more=1), "offload binary: device code is cut off"),
    (offload_binary(2, image_at=1 << 63), "offload binary: image lies outside"),
    (offload_binary(2, count=1 << 60), "offload binary: entry lies outside"),
    (code[:-1], "its code object is cut off"),
    (good + b"\0\0rubbish", "no device code at offset %d of its fat binary" % (len(good) + 2)),
    (good + b"\0" * 9 + ccob(good)[:-1], "offload bundle is cut off in its compressed data"),
]


def run(command, data):
    with open("f", "wb") as out:
        out.write(data)
    done = subprocess.run([kpack, command, "f"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


for command in ("inspect", "ref"):
    for number, data in enumerate(GOOD):
        code_, out, err = run(command, data)
        if code_ != 0 or "gfx1100" not in out or err:
            sys.exit("good file %d, %s: %s%s" % (number, command, out, err))
    for data, message in BAD:
        code_, out, err = run(command, data)
        if code_ != 1 or not err.startswith("kpack: error: f: " + message):
            sys.exit("%s exits with %d and should say '%s', says: %s%s" % (command, code_, message, out, err))
print("%d good, %d damaged" % (len(GOOD), len(BAD)))
