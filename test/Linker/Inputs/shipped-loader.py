"""Looks for a code object as the loader that ROCm ships does.

usage: shipped-loader.py KPACK BINARY INDEX TARGET

KPACK is the program `kpack`, which reads marker and archives. By the rules of
that loader: search paths in order, the first @GFXARCH@ replaced by the device's
target id with colons and all; of the archives that are there, for each subset
of the target's features from all to none, the first one that lists it; and no
other is asked then. Prints the archive's name, or the loader's error code.
"""
import json
import os
import subprocess
import sys


def kpack(*arguments):
    return json.loads(subprocess.run([sys.argv[1], *arguments], check=True, stdout=subprocess.PIPE).stdout)


def subsets(target):
    processor, *features = target.split(":")
    for mask in reversed(range(1 << len(features))):
        yield ":".join([processor] + [f for i, f in enumerate(features) if mask >> (len(features) - 1 - i) & 1])


def main():
    binary, index, target = sys.argv[2], sys.argv[3], sys.argv[4]
    marker = kpack("ref", "--json", binary)["binaries"][0]["marker"]
    folder = os.path.dirname(os.path.realpath(binary))
    archives = []
    for path in marker["search_paths"]:
        for candidate in subsets(target):
            name = os.path.join(folder, path["path"]).replace("@GFXARCH@", candidate, 1)
            if os.path.isfile(name) and name not in archives:
                archives.append(name)
    if not archives:
        return "error 13"
    listed = {name: kpack("show", "--json", name)["archives"][0]["gfx_arches"] for name in archives}
    for candidate in subsets(target):
        for name in archives:
            if candidate not in listed[name]:
                continue
            key = "%s#%s" % (marker["kernel_name"], index)
            entries = kpack("list", "--json", name)["archives"][0]["entries"]
            found = any(e["binary"] == key and e["arch"] == candidate for e in entries)
            return os.path.basename(name) if found else "error 5"
    return "error 14"


print(main())
