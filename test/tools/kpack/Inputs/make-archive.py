#!/usr/bin/env python3
"""Writes a .kpack file out of a JSON description, hostile ones included.

    make-archive.py SPEC.json OUT.kpack

SPEC is {"scheme": "none" | "zstd-per-kernel", "arches": [...], "group": str,
"family": str, "archive_id": str | {name: str}, "version": int,
"device_debug": path of the archive of its debug information,
"entries": [[key, arch, file, position of an earlier entry, or
{"zeros": number of zero bytes}], ...], "sizes": {"<position>": original_size},
"hints": {"<position>": ordinal whose place the entry states as its own},
"reserved": text at offset 16, "behind": text behind everything}. Independent of
kpack's own writer on purpose: it writes what that writer refuses to write.
Files are relative to the directory of OUT.
"""
import json
import os
import struct
import sys


def pack(value):
    """MessagePack: the widest encodings, which every reader has to accept."""
    if isinstance(value, str):
        data = value.encode("utf-8", "surrogateescape")
        return b"\xdb" + struct.pack(">I", len(data)) + data
    if isinstance(value, int):
        return b"\xcf" + struct.pack(">Q", value)
    if isinstance(value, list):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(pack, value))
    if isinstance(value, dict):
        items = b"".join(pack(k) + pack(v) for k, v in value.items())
        return b"\xdf" + struct.pack(">I", len(value)) + items
    raise TypeError(type(value))


def frame(data):
    """A zstd frame with content size and raw blocks: no compressor needed."""
    blocks = [data[i : i + 65536] for i in range(0, len(data), 65536)] or [b""]
    out = struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data))
    for i, block in enumerate(blocks):
        header = len(block) << 3 | (i == len(blocks) - 1)
        out += struct.pack("<I", header)[:3] + block
    return out


def zero_frame(size):
    """The same of zero bytes, in blocks of four bytes."""
    out = [struct.pack("<IBQ", 0xFD2FB528, 0xE0, size)]
    while size:
        length = min(size, 128 * 1024)
        size -= length
        out.append(struct.pack("<I", length << 3 | 2 | (not size))[:3] + b"\0")
    return b"".join(out)


def main(spec_path, out_path):
    with open(spec_path) as file:
        spec = json.load(file)
    scheme = spec.get("scheme", "none")
    blobs, toc, ordinals = [], {}, []
    for position, (key, arch, source) in enumerate(spec["entries"]):
        if isinstance(source, int):
            ordinal = ordinals[source]
        elif isinstance(source, dict):
            blobs.append(bytes(source["zeros"]))
            ordinal = len(blobs) - 1
        else:
            path = os.path.join(os.path.dirname(out_path), source)
            with open(path, "rb") as file:
                blobs.append(file.read())
            ordinal = len(blobs) - 1
        ordinals.append(ordinal)
        size = spec.get("sizes", {}).get(str(position), len(blobs[ordinal]))
        toc.setdefault(key, {})[arch] = {
            "type": "hsaco",
            "ordinal": ordinal,
            "original_size": size,
        }
    table = {
        "format_version": 1,
        "group_name": spec.get("group", "test"),
        "gfx_arch_family": spec.get("family", "gfx11"),
        "gfx_arches": spec.get("arches", []),
        "toc": toc,
        "compression_scheme": scheme,
    }
    for optional in ("archive_id", "device_debug"):
        if optional in spec:
            table[optional] = spec[optional]
    body = b""
    places = []
    if scheme == "none":
        table["blobs"] = []
        for blob in blobs:
            table["blobs"].append({"offset": 64 + len(body), "size": len(blob)})
            places.append((64 + len(body), len(blob)))
            body += blob
    else:
        body = struct.pack("<I", len(blobs))
        for blob in blobs:
            zeros = blob and not blob.strip(b"\0")
            data = zero_frame(len(blob)) if zeros else frame(blob)
            places.append((64 + len(body) + 4, len(data)))
            body += struct.pack("<I", len(data)) + data
        table["zstd_offset"] = 64
        table["zstd_size"] = len(body)
    for position, ordinal in spec.get("hints", {}).items():
        key, arch, _ = spec["entries"][int(position)]
        toc[key][arch]["offset"], toc[key][arch]["stored_size"] = places[ordinal]
    header = b"KPAK" + struct.pack("<IQ", spec.get("version", 1), 64 + len(body))
    header += spec.get("reserved", "").encode()
    with open(out_path, "wb") as file:
        file.write(header.ljust(64, b"\0") + body + pack(table))
        file.write(spec.get("behind", "").encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
