# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite whose sources are in this tree: acceptance/own, and the examples.

Its programs are compiled once, on this machine, and run unchanged on every ROCm
and GPU. They are compiled again when a source or a compiler is another.
"""
import glob
import hashlib
import os
import subprocess
import sys

from roots import say

# Runs by itself and starts others with the command in ACCEPT_RUN.
COMMANDS = "test_commands"

SOURCES = ("acceptance/own/*", "examples/*[!d]", "examples/*/*", "test/SoftGpu/Kfd/Inputs/axpy.*")
# Of a build of kpack: what makes the programs, and what is linked into them.
TOOLS = ("bin/hipcc", "bin/ld.kpack", "lib/KpackPlugin.so", "lib/libkpack_hip.so")


def digest(source, build):
    """Of what the programs are made from and by."""
    found = hashlib.sha256()
    paths = [path for pattern in SOURCES for path in sorted(glob.glob(os.path.join(source, pattern)))]
    for path in paths + [os.path.join(build, tool) for tool in TOOLS]:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found.update(os.path.basename(path).encode() + b"\0" + file.read())
    return found.hexdigest()[:16]


def build(source, kpack, out):
    """Compiles what is not there yet; (folder of the programs, their digest)."""
    folder, wanted = os.path.abspath(os.path.join(out, "own")), digest(source, kpack)
    stamp = os.path.join(folder, "digest")
    try:
        with open(stamp) as file:
            have = file.read()
    except FileNotFoundError:
        have = ""
    if have != wanted:
        say("%s: compiling the programs of the suite own" % folder)
        subprocess.run(["rm", "-rf", folder], check=True)
        run = subprocess.run([os.path.join(source, "acceptance/own/build"), kpack, folder],
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode:
            sys.exit("accept: error: acceptance/own/build: failed:\n%s" % run.stdout)
        with open(stamp, "w") as file:
            file.write(wanted)
    return os.path.join(folder, "bin"), wanted


def programs(folder):
    """{name: path}"""
    return {name: os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.startswith("test_")}
