# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Debian of roots.py whose programs and libraries have been converted.

It is a folder of links to the other one, in which the files with device code are
what `kpack convert` has made of them, or what a tool of packagers has made of that.
So ROCm's tests run with either, and what they say can be compared.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys

from roots import say

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                             "test", "HostRewrite", "Inputs"))
import matrix  # noqa: E402 the size of device code

# Tests that ended so have said what they had to say.
DECIDED = ("passed", "failed", "crash", "fault", "unsupported", "defect", "skipped")
LIBRARIES = "usr/lib/x86_64-linux-gnu"


def by_tool(tool, source, output):
    """Commands with which a packager changes a file."""
    debug = output + ".debug"
    link = "--add-gnu-debuglink=" + debug
    return {
        "strip": [["strip", "-o", output, source]],
        "objcopy": [["objcopy", source, output]],
        "debuglink": [["objcopy", "--only-keep-debug", source, debug],
                      ["objcopy", "-R", ".gnu_debuglink", link, source, output]],
        "llvm-strip": [["llvm-strip-22", "-o", output, source]],
        "patchelf": [["patchelf", "--set-rpath", "/nowhere/in/particular/" + 60 * "x",
                      "--output", output, source]],
    }[tool]


TOOLS = ("strip", "objcopy", "debuglink", "llvm-strip", "patchelf")


def fat_files(folder):
    """Programs and libraries with device code, links left out."""
    found = []
    for parent, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(parent, name)
            if not os.path.islink(path) and os.path.isfile(path) and is_fat(path):
                found.append(path)
    return found


def is_fat(path):
    with open(path, "rb") as file:
        head = file.read(18)
    # Tensile's .co are ELF files as well, for the GPU: their machine is another.
    return (head[:5] == b"\x7fELF\2" and head[16:18] in (b"\2\0", b"\3\0")
            and matrix.device_size(path) != 0)


def run(command):
    done = subprocess.run(command, text=True, capture_output=True, errors="replace")
    if done.returncode:
        sys.exit("accept: error: %s: failed:\n%s" % (" ".join(command), done.stderr or done.stdout))


def links_to(root, folder):
    """The same files, as links. What a Debian has of its own (/proc) is left out."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "var/lib/dpkg"))
    for name in ("lib", "lib64"):
        if os.path.islink(os.path.join(root, name)):
            os.symlink(os.readlink(os.path.join(root, name)), os.path.join(folder, name))
    os.symlink(os.path.join(root, "var/lib/dpkg/status"), os.path.join(folder, "var/lib/dpkg/status"))
    run(["cp", "-as", os.path.join(root, "usr"), folder])


def make(root, folder, kpack, wanted, tool):
    """The folder, in which the programs and libraries that are wanted (names below root)
    are converted. Made anew if it is of other packages, or of another kpack. tool: kpack
    alone, or one of TOOLS in addition."""
    base = root
    if tool != "kpack":
        base = make(root, os.path.join(os.path.dirname(folder), "kpack"), kpack, wanted, "kpack")
    with open(kpack, "rb") as program, open(os.path.join(root, "var/lib/dpkg/status"), "rb") as status:
        stamp = [hashlib.sha256(file.read()).hexdigest() for file in (program, status)]
    state = os.path.join(folder, "converted.json")
    have, done = stamp_of(state)
    if have != stamp:
        links_to(base, folder)
        done = []
    missing = [name for name in wanted if name not in done]
    if missing:
        say("%s: %d programs and libraries to be converted" % (folder, len(missing)))
    for name in missing:
        convert(os.path.join(base, name), os.path.join(folder, name), kpack, tool)
        done.append(name)
        with open(state, "w") as file:
            json.dump([stamp, done], file)
    return folder


def stamp_of(path):
    """(of what the folder is, the files that are converted)"""
    try:
        with open(path) as file:
            stamp, done = json.load(file)
        return stamp, done
    except (OSError, ValueError):
        return None, []


def convert(source, output, kpack, tool):
    if os.path.lexists(output):
        os.remove(output)  # a link, which would be written through
    if tool == "kpack":
        run([kpack, "-q", "convert", source, "-o", output])
    else:
        for command in by_tool(tool, source, output):
            run(command)
        if os.path.exists(output + ".debug"):
            os.remove(output + ".debug")  # it looks like one more program
        link_archives(source, output)
    run([kpack, "-q", "verify", output])


def link_archives(source, output):
    """Beside the output, what is beside the source."""
    here, there = (os.path.join(os.path.dirname(path), ".kpack") for path in (source, output))
    os.makedirs(there, exist_ok=True)
    for name in os.listdir(here):
        if name.startswith(os.path.basename(source) + "_") and not os.path.lexists(os.path.join(there, name)):
            os.symlink(os.path.join(here, name), os.path.join(there, name))


def names_of_fat(root, programs):
    """Of the programs and the libraries that they need, those with device code."""
    linker = os.path.join(root, "lib64/ld-linux-x86-64.so.2")
    paths = set()
    for name in programs:
        program = os.path.join(root, name)
        listed = subprocess.run(
            [linker, "--inhibit-cache", "--library-path", os.path.join(root, LIBRARIES), "--list", program],
            text=True, capture_output=True)
        paths.add(program)
        paths.update(os.path.realpath(line.split()[2]) for line in listed.stdout.splitlines()
                     if line.split()[1:2] == ["=>"] and line.split()[2].startswith(root + "/"))
    return [os.path.relpath(path, root) for path in sorted(paths) if is_fat(path)]


def compare(chosen, original, now):
    """(number of tests that ended alike, [(program, test, how it ended, how it ends now)]).
    original, now: functions of a program, to {test: Outcome}."""
    same, others = 0, []
    for program, tests in sorted(chosen.items()):
        before, after = original(program), now(program)
        for test in tests:
            states = [known[test].state for known in (before, after) if test in known]
            if len(states) != 2 or not set(states) <= set(DECIDED):
                continue  # not run with both, or its time was over
            if states[0] == states[1]:
                same += 1
            else:
                others.append((program, test, *states))
    return same, others
