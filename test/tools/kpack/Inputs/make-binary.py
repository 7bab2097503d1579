#!/usr/bin/env python3
"""Writes a linked host-only binary out of a JSON description, with yaml2obj.

    make-binary.py SPEC.json OUT

SPEC is {"wrappers": [[magic, version, pointer, reserved1], ...],
"marker": map or hex string}. The marker stands at 0x2000; "HIPK" and "HIPF"
name the magics.
"""
import importlib.util
import json
import os
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MAGICS = {"HIPK": 0x4B504948, "HIPF": 0x48495046}


def main(spec_path, out_path):
    loader = importlib.util.spec_from_file_location(
        "make_archive", os.path.join(HERE, "make-archive.py")
    )
    archive = importlib.util.module_from_spec(loader)
    loader.loader.exec_module(archive)
    with open(spec_path) as file:
        spec = json.load(file)
    wrappers = b"".join(
        struct.pack("<IIQQ", MAGICS.get(magic, magic), version, pointer, reserved)
        for magic, version, pointer, reserved in spec["wrappers"]
    )
    marker = spec.get("marker", "")
    if not isinstance(marker, str):
        marker = archive.pack(marker).hex()
    subprocess.run(
        [
            "yaml2obj",
            "-DWRAPPERS=" + wrappers.hex(),
            "-DMARKER=" + marker,
            os.path.join(HERE, "host-only.yaml"),
            "-o",
            out_path,
        ],
        check=True,
    )


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main(*sys.argv[1:])
