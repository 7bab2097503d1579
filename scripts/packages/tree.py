# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A package's whole tree, packed: what everybody installs of it, what the owner of one GPU.

Four trees are made, one after the other: with and without debug information of device
code, and for each of GPUS what it needs. Only sizes stay. Sibling: limits.py."""
import json
import os
import re
import shutil
import subprocess

import binary
import converted

GPUS = ("gfx1100", "gfx90a")
# What pack-tree says of a tree whose code is for other GPUs.
NO_CODE = "no code for these architectures"


def target_of(name):
    """The GPU that a file's name ends in, without features, or ''."""
    found = re.findall(r"gfx[0-9a-f]+", os.path.basename(name))
    return found[-1] if found else ""


def files_of(folder):
    """(path, size) of all files, each once whatever its names are."""
    seen = set()
    for parent, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(parent, name)
            info = os.lstat(path)
            if (info.st_dev, info.st_ino) not in seen and os.path.isfile(path) and not os.path.islink(path):
                seen.add((info.st_dev, info.st_ino))
                yield path, info.st_size


def sort_of(path):
    """What a file of a tree is to the one who installs it."""
    if path.endswith(".kpack"):
        return "archives"
    if path.endswith(".dat"):
        return "dat"
    return "code" if is_kernels(path) else "host"


def is_kernels(path):
    """Whether it is a file of a kernel library, or what stands in the place of one."""
    return path.endswith((".co", ".hsaco"))


def parts_of(folder):
    """{sort: bytes}"""
    sums = {"host": 0, "dat": 0, "code": 0, "archives": 0}
    for path, size in files_of(folder):
        sums[sort_of(path)] += size
    return sums


def disk_of(folder):
    """Bytes that a folder takes on the disk."""
    return sum(os.lstat(os.path.join(parent, name)).st_blocks * 512
               for parent, _, names in os.walk(folder) for name in names)


class Tree:
    """The tree SOURCE of the package NAME; packed ones go to the folder WORK."""

    def __init__(self, kpack, name, source, work):
        self.kpack, self.name, self.source = kpack, name, source
        self.packed = os.path.join(work, "packed")
        self.work = work
        self.problems = []
        self.disk = 0

    def run(self, *command, but=None):
        """Whether the command succeeded. That it says BUT is no problem."""
        done = subprocess.run([self.kpack, "-q", *command], text=True, capture_output=True, errors="replace")
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        if done.returncode != 0 and not (but and but in said[0]):
            self.problems.append("kpack %s: exit %d: %s" % (command[0], done.returncode, said[0]))
        return done.returncode == 0

    def pack(self, *options, but=None):
        """Whether self.packed is there now."""
        shutil.rmtree(self.packed, ignore_errors=True)
        if any(is_kernels(path) for path, _ in files_of(self.source)):
            options += ("--databases=pack",)
        good = self.run("pack-tree", "--input=" + self.source, "--output=" + self.packed,
                        "--group-name=" + self.name, *options, but=but)
        self.disk = max(self.disk, disk_of(self.work))
        return good

    def verify(self):
        """Every archive, and every program and library that refers to one."""
        archives = os.path.join(self.packed, ".kpack")
        if not os.path.isdir(archives):
            return
        binaries = [os.path.join(self.packed, os.path.relpath(path, self.source))
                    for path in converted.fat_files(self.source)]
        self.run("verify", *binaries, *(os.path.join(archives, name) for name in sorted(os.listdir(archives))))

    def archives(self):
        """{architecture: bytes}"""
        there = os.path.isdir(os.path.join(self.packed, ".kpack"))
        return binary.archives_of(self.packed, self.name) if there else {}

    def entries(self):
        """What the archives hold, each code object once: (key, architecture, bytes)."""
        folder = os.path.join(self.packed, ".kpack")
        if not os.path.isdir(folder):
            return
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        listed = subprocess.run([self.kpack, "list", "--json", *paths], text=True, capture_output=True, check=True)
        for archive in json.loads(listed.stdout)["archives"]:
            seen = set()
            for entry in archive["entries"]:
                if entry["ordinal"] not in seen:
                    seen.add(entry["ordinal"])
                    yield entry["binary"], entry["arch"], entry["stored_size"]

    def measure(self, judge):
        """What goes to the page; JUDGE is called with the tree while it is packed, with debug
        information and without."""
        result = {"before": parts_of(self.source), "users": {}}
        for way, options in (("keep", []), ("strip", ["--device-debug=strip"])):
            if not self.pack(*options):
                return result
            self.verify()
            result[way] = dict(parts_of(self.packed), by_target=self.archives())
            judge(self, way)
        for gpu in GPUS:
            # A package without any code is its other files, one with code for other GPUs of
            # no use.
            if self.pack("--device-debug=strip", "--gfx-arches=" + gpu, but=NO_CODE):
                self.verify()
                result["users"][gpu] = parts_of(self.packed)
        shutil.rmtree(self.packed, ignore_errors=True)
        return result
