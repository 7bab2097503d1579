# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that the patched clang compiles with --emit-kpack: they are linked by
ld.kpack, run on the emulated GPU, and have the code objects that kpack-clang++ makes.

Also that without the option the patched clang writes what Debian's does."""
import filecmp
import os
import shutil
import subprocess

from common import run
from program import ARCHES, EXAMPLE

SOURCES = ["main", "saxpy"]
COMMON = ["-O2", "-nogpulib", "-nogpuinc", "-mcode-object-version=4",
          *["--offload-arch=" + arch for arch in ARCHES]]
LINK = ["--hip-link", "-no-hip-rt", "-l:libamdhip64.so.5", "-Wno-unused-command-line-argument"]
# What is compiled how, and the suffix of what comes of it.
WAYS = {
    "objects": ([], "-c", "o"),
    "position-dependent": (["-fno-pie"], "-c", "o"),
    "debug": (["-g", "-fdebug-compilation-dir=."], "-c", "o"),
    "assembly": ([], "-S", "s"),
    "bitcode": (["-emit-llvm"], "-c", "bc"),
    "ThinLTO": (["-flto=thin"], "-c", "o"),
    "RDC": (["-fgpu-rdc"], "-c", "o"),
    "temporary files": (["-save-temps"], "-c", "o"),
}


# Bitcode that is compiled again: kpack-clang++ has its device code behind the module,
# where it gets lost.
PATCHED_ONLY = ["bitcode"]


class Compiler:
    """A clang, with what it needs to write kpack archives."""

    def __init__(self, command, link):
        self.command, self.link = command, link

    def compile(self, folder, options, mode, suffix, kpack=("--emit-kpack",)):
        for name in SOURCES:
            # Both compilers have to call the code of a source the same.
            run([*self.command, *kpack, *COMMON, *options, mode, "-cuid=" + name, "-x", "hip",
                 "%s/%s.hip" % (EXAMPLE, name), "-o", "%s.%s" % (name, suffix)], cwd=folder)

    def program(self, folder, options, suffix):
        run([*self.command, "--emit-kpack", *self.link, *(["-no-pie"] if "-fno-pie" in options else []),
             *[option for option in options if option.startswith(("-flto", "-fgpu"))],
             *["%s.%s" % (name, suffix) for name in SOURCES], *LINK, "-o", "program"], cwd=folder)


def files_of(folder):
    kpack = os.path.join(folder, ".kpack")
    return sorted(os.path.join(kpack, name) for name in os.listdir(kpack))


def code_objects(kpack, folder):
    """{path below the folder with the extracted: bytes}"""
    out = os.path.join(folder, "extracted")
    for archive in files_of(folder):
        run([kpack + "/kpack", "extract", archive, "-o", "%s/%s/" % (out, os.path.basename(archive))])
    found = {}
    for place, _, names in os.walk(out):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, out)] = file.read()
    return found


def runs(kpack, folder):
    """What is wrong with the program of the folder, if anything."""
    for arch in ARCHES:
        done = subprocess.run([kpack + "/kpack-run", "--gpu=" + arch, folder + "/program"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.stdout != "1000 elements right\n":
            return "on %s: %s" % (arch, done.stdout)
    return ""


def differences(kpack, ours, theirs):
    one, other = code_objects(kpack, ours), code_objects(kpack, theirs)
    if not one or sorted(one) != sorted(other):
        return "code objects %s, and %s" % (sorted(one), sorted(other))
    return ", ".join(name for name in one if one[name] != other[name])


def mixed(kpack, compiler, folder, options):
    """What is wrong with a program of an object of each compiler, one in a library."""
    place = os.path.join(folder, "mixed")
    os.makedirs(place)
    shutil.copy(folder + "/patched/main.o", place)
    run(["/usr/bin/ar", "rcs", place + "/libsaxpy.a", folder + "/kpack/saxpy.o"])
    run([*compiler.command, "--emit-kpack", *compiler.link, *options, "main.o", "libsaxpy.a", *LINK, "-o", "program"],
        cwd=place)
    return runs(kpack, place)


def resources(release):
    """The folder of clang's headers, whose name is in debug information."""
    return ["-resource-dir", "/usr/lib/llvm-%s/lib/clang/%s" % (release["major"], release["major"])]


def same_without(release, tools, folder, count):
    """Without the option nothing is different."""
    for way, (options, mode, suffix) in WAYS.items():
        outputs = []
        for name, place in (("patched", tools), ("stock", "/usr/lib/llvm-%s/bin" % release["major"])):
            # The same folder for both, since debug information has its name in it.
            os.makedirs(folder)
            Compiler([place + "/clang++"], []).compile(
                folder, [*options, *resources(release)], mode, suffix, kpack=())
            os.rename(folder, "%s-%s" % (folder, name))
            outputs.append("%s-%s" % (folder, name))
        files = ["%s.%s" % (name, suffix) for name in SOURCES]
        _, different, missing = filecmp.cmpfiles(*outputs, files, shallow=False)
        count.add("%s, without --emit-kpack" % way, " ".join([*different, *missing]))
        for output in outputs:
            shutil.rmtree(output)


def check(release, tools, kpack, folder, count):
    """Counts, for each way to compile, whether programs run and have the right code."""
    shutil.rmtree(folder, ignore_errors=True)
    patched = Compiler([tools + "/clang++"], ["--ld-path=" + kpack + "/ld.kpack"])
    ours = Compiler([kpack + "/kpack-clang++", "--kpack-clang=/usr/lib/llvm-%s/bin/clang++" % release["major"]], [])
    for way, (options, mode, suffix) in WAYS.items():
        folders, top = [], os.path.join(folder, way.replace(" ", "-"))
        for name, compiler in (("patched", patched), ("kpack", ours)):
            if compiler is ours and way in PATCHED_ONLY:
                continue
            place = os.path.join(top, name)
            os.makedirs(place)
            compiler.compile(place, [*options, *resources(release)], mode, suffix)
            compiler.program(place, options, suffix)
            folders.append(place)
        count.add("%s: program" % way, runs(kpack, folders[0]))
        if len(folders) == 2:
            count.add("%s: kpack-clang++'s code objects" % way, differences(kpack, *folders))
        if way in ("objects", "RDC"):
            count.add("%s: of both compilers" % way, mixed(kpack, patched, top, options))
    same_without(release, tools, os.path.join(folder, "stock"), count)
