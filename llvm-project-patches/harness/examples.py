# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All programs of examples/ with kernels, by the patched clang and lld alone: no other
tool of this project is in PATH, what runs has its libraries. Both offload drivers must
write the same files, and kpack-clang++ with ld.kpack, too; what comes of it must run.

A folder of examples/ that is not in the tables here is a failure."""
import os
import shutil
import subprocess

import hip
from archives import LINK, differences, files_of, unequal
from common import SOURCE, run
from program import ARCHES

EXAMPLES = os.path.join(SOURCE, "examples")
TOOLS = ["kpack", "kpack-clang++", "ld.kpack"]
PATH = "/usr/bin:/bin"
GPUS = [*ARCHES, ",".join(ARCHES)]

# Sources with kernels, sources without, and what is linked. A shared library has a client,
# which is compiled and linked as a program that knows nothing of HIP.
PROGRAMS = {
    "vector_add": {"hip": ["vector_add.hip"], "output": "vector_add"},
    "multi_tu": {"hip": ["main.hip", "saxpy.hip"], "output": "multi_tu", "headers": False},
    "hip_program": {"hip": ["histogram.cpp", "weighted_sum.cpp"], "host": ["main.cpp"], "output": "hip_program"},
    "shared_library": {"hip": ["filter.cpp"], "options": ["-fPIC"], "link": ["-shared"], "output": "libfilter.so",
                       "client": "client.cpp"},
    "two_gpus": {"hip": ["two_gpus.cpp"], "output": "two_gpus"},
}
# The others, and why there is nothing to compile with --emit-kpack.
OTHERS = {
    "ckjit": "a generated library whose kernels are compiled when they are called",
    "conv-grid": "compiles when it runs",
    "graph-custom": "compiles when it runs",
    "graph-encoder": "compiles when it runs",
    "graph-vad": "compiles when it runs",
    "jit-cache": "compiles when it runs",
    "jit-python": "compiles when it runs",
    "kernel_library": "its kernels are compiled for the device alone, and packed by a program of its own",
}


class Compiler:
    """A clang that makes programs of examples, with what it needs around it."""

    def __init__(self, release, command, kpack):
        self.release, self.command = release, command
        self.shim = ["-L", kpack + "/../lib", "-Wl,-rpath," + kpack + "/../lib", "-lkpack_hip"]
        self.environment = dict(os.environ, PATH=PATH)

    def run(self, folder, *arguments):
        run([*self.command, *arguments], cwd=folder, env=self.environment)

    def make(self, name, folder):
        """The example in a folder of its own; the names of what is there to compare but archives."""
        example, source = PROGRAMS[name], os.path.join(EXAMPLES, name)
        os.makedirs(folder)
        for unit in example["hip"]:
            # Both compilers have to call the code of a source the same.
            self.run(folder, "--emit-kpack", "-O2", *options_of(self.release, example), "-cuid=" + unit, "-x", "hip",
                     "-c", os.path.join(source, unit), "-o", unit + ".o")
        for unit in example.get("host", []):
            self.run(folder, "-std=c++17", "-O2", "-c", os.path.join(source, unit), "-o", unit + ".o")
        objects = [unit + ".o" for unit in [*example["hip"], *example.get("host", [])]]
        self.run(folder, "--emit-kpack", *example.get("link", []), *objects, *self.shim, *LINK, "-o", example["output"])
        if "client" not in example:
            return [example["output"]]
        self.run(folder, "-std=c++17", "-O2", os.path.join(source, example["client"]), "-L.", "-lfilter",
                 "-Wl,-rpath,$ORIGIN", "-o", "client")
        return [example["output"], "client"]

    def make_at_once(self, folder):
        """The README's command: one source, one archive, a name for the program."""
        example = PROGRAMS["vector_add"]
        os.makedirs(folder)
        self.run(folder, "--emit-kpack=output.kpack", "--emit-host-only=output.exe", "-O2",
                 *options_of(self.release, example), "-cuid=at-once",
                 os.path.join(EXAMPLES, "vector_add", "vector_add.hip"), *self.shim, *LINK)
        return ["output.exe", "output.kpack"]


def options_of(release, example):
    with_headers = hip.options if example.get("headers", True) else hip.options_without
    return [*with_headers(release, ARCHES), *example.get("options", [])]


def runs(kpack, program):
    """What is wrong of what the program says, on each GPU and on both in one process."""
    for gpus in GPUS:
        done = subprocess.run([kpack + "/kpack-run", "--gpu=" + gpus, "--", program], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # Each compares its results with the processor's.
        if done.returncode != 0 or "right" not in done.stdout:
            return "on %s: exit status %d: %s" % (gpus, done.returncode, done.stdout)
    return ""


def unknown_folders():
    """Which examples are in no table, and which of the tables are there no more."""
    there = {name for name in os.listdir(EXAMPLES) if os.path.isdir(os.path.join(EXAMPLES, name))}
    return " ".join(sorted(there ^ {*PROGRAMS, *OTHERS}))


def tools_in_path():
    return " ".join(name for name in TOOLS if shutil.which(name, path=PATH))


def check_example(release, kpack, compilers, name, folder, count):
    """Makes it by all compilers; compares, and runs what the patched clang made."""
    for who, compiler in compilers.items():
        made = compiler.make(name, os.path.join(folder, who))
    ours, theirs = os.path.join(folder, "old"), os.path.join(folder, "kpack")
    archives = [os.path.relpath(path, ours) for path in files_of(ours)]
    count.add(name + ": kpack-clang++'s code objects", differences(kpack, ours, theirs))
    count.add(name + ": kpack-clang++'s archives", unequal(ours, theirs, archives))
    if same_programs(release):
        count.add(name + ": kpack-clang++'s programs", unequal(ours, theirs, made))
    if "new" in compilers:
        objects = [unit + ".o" for unit in PROGRAMS[name]["hip"]]
        count.add(name + ": the new driver's files",
                  unequal(ours, os.path.join(folder, "new"), [*made, *objects, *archives]))
    count.add(name + ": runs", runs(kpack, os.path.join(ours, made[-1])))


def check_at_once(release, kpack, compilers, folder, count):
    for who, compiler in compilers.items():
        program, archive = compiler.make_at_once(os.path.join(folder, who))
    ours = os.path.join(folder, "old")
    for who in compilers:
        files = [archive, program] if who != "kpack" or same_programs(release) else [archive]
        if who != "old":
            count.add("in one command, as " + who, unequal(ours, os.path.join(folder, who), files))
    count.add("in one command: runs", runs(kpack, os.path.join(ours, program)))


def same_programs(release):
    """Whether the layout is the same as kpack-clang++'s, and so every byte."""
    return "linked_handles" not in release


def check(release, tools, kpack, folder, count):
    """Counts, for each example, whether it is what it should be and runs."""
    shutil.rmtree(folder, ignore_errors=True)
    count.add("examples in no table of harness/examples.py", unknown_folders())
    count.add("tools of this project in " + PATH, tools_in_path())
    drivers = {"old": "--no-offload-new-driver", "new": "--offload-new-driver"}
    compilers = {name: Compiler(release, [tools + "/clang++", drivers[name]], kpack)
                 for name in release["drivers"]}
    compilers["kpack"] = Compiler(release, [kpack + "/kpack-clang++", "--kpack-clang=/usr/lib/llvm-%s/bin/clang++" %
                                            release["major"]], kpack)
    for name in PROGRAMS:
        check_example(release, kpack, compilers, name, os.path.join(folder, name), count)
    check_at_once(release, kpack, compilers, os.path.join(folder, "at-once"), count)
