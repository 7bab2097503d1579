# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that must hold, so that what compresses worse is noticed.

Version 1 is what archives of other writers take: zstd level 3, each code object alone, as
it is in the package. Each limit is a share of that, or of what the package itself takes."""
import os

import code_objects
from converted import fat_files
from tree import files_of, target_of

# Without debug information, of version 1 with it.
STRIPPED = {"librocrand1": .24, "librocsparse1": .25, "librocsolver0": .28}
# rocBLAS' kernel library of one target, of version 1.
TENSILE = ("librocblas4", "gfx90a", .72)
# hipBLASLt's kernels, of the compressed bundles that they come in.
BUNDLES = ("libhipblaslt1", 1.03)
# What the owner of OWNER has of a package, of all that is installed today.
OWNER = "gfx1100"
OWNERS = {"unstable/libggml0-backend-hip": .021, "unstable/libmagma2-rocm": .021, "unstable/libspfft1": .1,
          "experimental/librccl1": .028, "experimental/librpp2-hip": .086}
# CPU seconds and MiB that converting a file of a package may take at most.
COSTS = {"experimental/librccl1": (40, 700)}
# What the owner of a GPU has of all packages together.
USER = {"gfx1100": 265_000_000}


def head_of(path, size):
    with open(path, "rb") as file:
        return file.read(size)


def ranges_of(path):
    """Code objects of a file of a kernel library."""
    if head_of(path, 4) == b"\x7fELF":
        return [(0, os.path.getsize(path))]
    with open(path, "rb") as file:
        return sorted(set(code_objects.bundle_entries(file.read(), 0)))


def is_database(key):
    """Keys of programs and libraries have the number of a wrapper."""
    return "#" not in key


class Judge:
    """Called with each packed tree of a package; what it found is in rows."""

    def __init__(self, build, spec):
        self.build, self.spec = build, spec
        suite, _, name = spec.partition("/")
        self.package = name if suite == "unstable" else ""
        self.kpack = os.path.join(build, "bin", "kpack")
        self.rows = []

    def __call__(self, tree, way):
        if way == "strip" and self.package in STRIPPED:
            self.judge_stripped(tree)
        if way == "keep" and self.package == TENSILE[0]:
            self.judge_tensile(tree)
        if way == "keep" and self.package == BUNDLES[0]:
            self.judge_bundles(tree)

    def note(self, what, size, of, most):
        self.rows.append({"what": what, "bytes": size, "of": of, "most": most})

    def judge_stripped(self, tree):
        plain = sum(code_objects.plain_size(self.build, path, code_objects.code_objects(self.kpack, path))
                    for path in fat_files(tree.source))
        self.note("without debug information, of version 1 with it", sum(tree.archives().values()), plain,
                  STRIPPED[self.package])

    def judge_tensile(self, tree):
        _, target, most = TENSILE
        plain = sum(code_objects.plain_size(self.build, path, [one]) for path, _ in files_of(tree.source)
                    if path.endswith((".co", ".hsaco")) and target_of(path) == target for one in ranges_of(path))
        stored = sum(size for key, arch, size in tree.entries()
                     if is_database(key) and arch.partition(":")[0] == target)
        self.note("kernel library of %s, of version 1" % target, stored, plain, most)

    def judge_bundles(self, tree):
        whole = {os.path.basename(path): size for path, size in files_of(tree.source)
                 if path.endswith(".co") and head_of(path, 4) == b"CCOB"}
        stored = sum(size for key, _, size in tree.entries() if os.path.basename(key) in whole)
        self.note("kernels, of the compressed bundles that they came in", stored, sum(whole.values()), BUNDLES[1])

    def judge_owner(self, measured):
        """Once the package has been packed for each GPU."""
        if self.spec in OWNERS:
            self.note("for the owner of a %s, of the package" % OWNER,
                      sum(measured["users"].get(OWNER, {}).values()), sum(measured["before"].values()),
                      OWNERS[self.spec])


def costs_of(spec, files):
    """Each cost that is too high. FILES: what was measured of each."""
    seconds, mebibytes = COSTS.get(spec, (0, 0))
    for row in files if seconds else []:
        if row["cpu"] > seconds:
            yield "%s: %.1f s of CPU, more than %d" % (row["file"], row["cpu"], seconds)
        if row["kib"] > 1024 * mebibytes:
            yield "%s: %d MiB, more than %d" % (row["file"], row["kib"] // 1024, mebibytes)


def problems_of(rows):
    """Each that does not hold, and each that was not measured at all."""
    for row in rows:
        if not row["bytes"] or not row["of"]:
            yield "%s: nothing of it was packed" % row["what"]
        elif row["bytes"] > row["most"] * row["of"]:
            yield "%s: %d of %d bytes are %.4f, more than %s" % (
                row["what"], row["bytes"], row["of"], row["bytes"] / row["of"], row["most"])
