# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where in a file its code objects are, and what others make of them.

Read by bench.py and by scripts/real-packages. A bundle's table is read here and not
asked of kpack alone: kpack says where a bundle is, this what is in it."""
import json
import mmap
import os
import subprocess


def bundle_entries(content, start):
    """(offset, size) of each code object of the plain bundle at START."""
    at = start + 32
    for _ in range(int.from_bytes(content[start + 24:start + 32], "little")):
        offset, size, length = (int.from_bytes(content[at + 8 * i:at + 8 * i + 8], "little") for i in range(3))
        at += 24 + length
        if size:
            yield start + offset, size


def code_objects(kpack, path):
    """Offsets and sizes of the code objects of a binary, in their order. ValueError where they are in
    something else than plain bundles."""
    listed = subprocess.run([kpack, "inspect", "--json", path], check=True, stdout=subprocess.PIPE).stdout
    found = set()
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for part in json.loads(listed)["files"][0]["containers"]:
            if part["kind"] != "bundle":
                raise ValueError("has a %s; only plain bundles can be compared" % part["kind"])
            found.update(bundle_entries(content, part["offset"]))
    return sorted(found)


def lines_of(ranges):
    """As raw-zstd reads them."""
    return "".join("%d %d\n" % one for one in ranges)


def plain_size(build, path, ranges):
    """Bytes of the ranges in archives of version 1 as others write it: zstd level 3, each alone."""
    return int(subprocess.run([os.path.join(build, "bin", "raw-zstd"), "--plain", path, os.devnull], check=True,
                              input=lines_of(ranges), text=True, stdout=subprocess.PIPE).stdout)
