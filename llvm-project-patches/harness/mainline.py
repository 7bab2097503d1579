# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The series for LLVM's main: that of the newest release, with a copy in main/ of each
patch which does not apply there.

The tree is whatever one has of main, and nothing in it is changed: what the patches are
for is copied, and there each is applied on top of those before it."""
import os
import re
import shutil
import subprocess
import tempfile

NEWEST = "22.1"
# Numbers of its patches that have no place of their own on main, and which copies have
# what main needs of them. There the new offload driver is HIP's, and the old one, for
# which most of these are, has no --emit-kpack. So one copy compiles and links for it, and
# one writes objects, with -fgpu-rdc and without.
FOLDED = {"0013": ("0012",), "0014": ("0011", "0012"), "0016": ("0011",), "0017": ("0012",)}
# Files that copies make which are not as 22.1's patches make them, and why.
OTHER = {
    "llvm/test/tools/llvm-offload-wrapper/reference.test": "wrappers have attributes for sanitizers",
    "clang/test/Driver/linker-wrapper-external-images.c": "so they have, and the architecture is amdgpu",
    "llvm/lib/Object/KpackWriter.cpp": "there is no xxHash64, so zstd writes the checksum of a frame",
    "lld/ELF/Kpack.cpp": "clang writes other versions of OffloadBinary",
    "lld/test/ELF/kpack-versions.s": "that is their test",
    "lld/ELF/KpackFatBinary.cpp": "DataExtractor has no size of addresses",
    "clang/test/CodeGenHIP/kpack-rdc.hip": "it is in the patch that writes objects",
    "clang/test/Driver/hip-emit-kpack.hip": "it is of the new driver",
    "clang/test/Driver/hip-emit-kpack-link.hip": "its links are those of clang-linker-wrapper",
}


def names(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".patch"))


def new_files(patch):
    """What the patch says of files that it makes: these are the same wherever it applies,
    but for those of OTHER. How long git's hashes are says nothing of them."""
    with open(patch, encoding="utf-8") as file:
        parts = re.split(r"^(?=diff --git )", file.read(), flags=re.M)
    return [re.sub(r"^index .*\n", "", part, flags=re.M) for part in parts if "\n--- /dev/null\n" in part and
            re.search(r"^\+\+\+ b/(\S+)$", part, re.M)[1] not in OTHER]


def series(here):
    """(patches in order, {name in main/: what is wrong with it})"""
    release, copies = os.path.join(here, NEWEST), os.path.join(here, "main")
    wanted = [name for name in names(release) if name.split("-")[0] not in FOLDED]
    rebased, wrong = names(copies), {}
    for name in rebased:
        if name not in wanted:
            wrong[name] = "%s has no patch of this name" % NEWEST
        elif new_files(os.path.join(copies, name)) != new_files(os.path.join(release, name)):
            wrong[name] = "makes other files than the patch of %s" % NEWEST
    numbers = [name.split("-")[0] for name in rebased]
    for folded, places in FOLDED.items():
        for number in set(places) - set(numbers):
            wrong.setdefault(number + "-*.patch", "is not there, and has what main needs of %s" % folded)
    return [os.path.join(copies if name in rebased else release, name) for name in wanted], wrong


def old_files(patch):
    """What the patch finds there; /dev/null is no file of the tree."""
    with open(patch, encoding="utf-8") as file:
        return re.findall(r"^--- a/(\S+)$", file.read(), re.M)


def copy(tree, files, folder):
    for file in files:
        if os.path.isfile(os.path.join(tree, file)):
            os.makedirs(os.path.dirname(os.path.join(folder, file)), exist_ok=True)
            shutil.copyfile(os.path.join(tree, file), os.path.join(folder, file))


def apply(patch, folder, *options):
    """What git says against it. Git must take the folder for no part of a repository."""
    done = subprocess.run(
        ["git", "apply", *options, os.path.abspath(patch)], cwd=folder, text=True, capture_output=True,
        env=dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(os.path.realpath(folder))))
    return "" if done.returncode == 0 else done.stderr or "git apply: exit %d" % done.returncode


def check(tree, patches, count):
    """Counts each patch: it applies on those before it, as a whole or not at all."""
    with tempfile.TemporaryDirectory() as folder:
        copy(tree, sorted({file for patch in patches for file in old_files(patch)}), folder)
        for patch in patches:
            count.add("/".join(patch.split("/")[-2:]), apply(patch, folder, "--check") or apply(patch, folder))
