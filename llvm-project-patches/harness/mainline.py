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
# Numbers of its patches that main has no place for: there is no old offload driver in it.
# What the new one needs of 0016 and 0017 is on top of these.
RELEASES_ALONE = ("0011", "0012", "0013", "0014", "0015", "0016", "0017")


def names(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".patch"))


def new_files(patch):
    """What the patch says of files that it makes: these are the same wherever it applies."""
    with open(patch, encoding="utf-8") as file:
        parts = re.split(r"^(?=diff --git )", file.read(), flags=re.M)
    return [part for part in parts if "\n--- /dev/null\n" in part]


def series(here):
    """(patches in order, {name in main/: what is wrong with it})"""
    release, copies = os.path.join(here, NEWEST), os.path.join(here, "main")
    wanted = [name for name in names(release) if name.split("-")[0] not in RELEASES_ALONE]
    rebased, wrong = names(copies), {}
    for name in rebased:
        if name not in wanted:
            wrong[name] = "%s has no patch of this name" % NEWEST
        elif new_files(os.path.join(copies, name)) != new_files(os.path.join(release, name)):
            wrong[name] = "makes other files than the patch of %s" % NEWEST
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
