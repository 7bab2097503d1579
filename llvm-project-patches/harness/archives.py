# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that the patched clang compiles with --emit-kpack, with the offload drivers that
take it: they are linked by ld.kpack, run on the emulated GPU, and are what kpack-clang++
makes.

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
# Options of a driver: of them, those that take --emit-kpack are in "drivers" of a release.
DRIVERS = {"old": [], "new": ["--offload-new-driver"]}
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
# Programs with more or less in them than kpack-clang++'s; their archives are the same.
# With RDC the patched clang adds the check that the linker writes archives. With ThinLTO
# kpack-clang++ keeps the symbols __hip_cuid_*, which nobody refers to.
OTHER_PROGRAM = ["RDC", "ThinLTO"]
# lld makes no device link.
NO_LLD = ["RDC"]


class Compiler:
    """A clang, with what it needs to write kpack archives."""

    def __init__(self, command, link):
        self.command, self.link = command, link

    def compile(self, folder, options, mode, suffix, kpack=("--emit-kpack",)):
        for name in SOURCES:
            # Both compilers have to call the code of a source the same.
            run([*self.command, *kpack, *COMMON, *options, mode, "-cuid=" + name, "-x", "hip",
                 "%s/%s.hip" % (EXAMPLE, name), "-o", "%s.%s" % (name, suffix)], cwd=folder)

    def program(self, folder, options, files):
        run([*self.command, "--emit-kpack", *self.link, *(["-no-pie"] if "-fno-pie" in options else []),
             *[option for option in options if option.startswith(("-flto", "-fgpu"))],
             *files, *LINK, "-o", "program"], cwd=folder)


def outputs_of(suffix):
    return ["%s.%s" % (name, suffix) for name in SOURCES]


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


def unequal(one, other, names):
    """Which of these files are not the same in both folders."""
    _, different, missing = filecmp.cmpfiles(one, other, names, shallow=False)
    return " ".join([*different, *missing])


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


def same_without(release, tools, folder, driver, count):
    """Without the option nothing is different."""
    for way, (options, mode, suffix) in WAYS.items():
        outputs = []
        for name, place in (("patched", tools), ("stock", "/usr/lib/llvm-%s/bin" % release["major"])):
            # The same folder for both, since debug information has its name in it.
            os.makedirs(folder)
            Compiler([place + "/clang++", driver, *resources(release)], []).compile(
                folder, options, mode, suffix, kpack=())
            os.rename(folder, "%s-%s" % (folder, name))
            outputs.append("%s-%s" % (folder, name))
        count.add("%s, %s without --emit-kpack" % (way, driver), unequal(*outputs, outputs_of(suffix)))
        for output in outputs:
            shutil.rmtree(output)


def of_new_driver(kpack, compiler, top, way, count):
    """Counts whether objects of the new driver are those of the old one, and whether a
    program runs that it links, with one object in a library."""
    options, mode, suffix = WAYS[way]
    place, files = os.path.join(top, "new-driver"), outputs_of(suffix)
    os.makedirs(place)
    compiler.compile(place, options, mode, suffix)
    count.add("%s: objects of the new driver" % way, unequal(place, top + "/patched", files))
    if suffix == "o":
        run(["/usr/bin/ar", "rcs", "libsaxpy.a", files.pop()], cwd=place)
        files.append("libsaxpy.a")
    compiler.program(place, options, files)
    count.add("%s: program of the new driver" % way, runs(kpack, place))


def as_of_kpack(kpack, ours, theirs, way, same_program, count):
    """Counts whether the program of a folder is what kpack-clang++ made in another."""
    count.add("%s: kpack-clang++'s code objects" % way, differences(kpack, ours, theirs))
    archives = [os.path.relpath(path, ours) for path in files_of(ours)]
    count.add("%s: kpack-clang++'s archives" % way, unequal(ours, theirs, archives))
    if same_program:
        count.add("%s: kpack-clang++'s program" % way, unequal(ours, theirs, ["program"]))


def of_lld(kpack, compilers, top, way, count):
    """Counts whether the patched clang and lld, alone, link what ld.kpack does."""
    options, _, suffix = WAYS[way]
    theirs = top + "/patched"
    for name, compiler in compilers.items():
        place = os.path.join(top, "lld-" + name)
        os.makedirs(place)
        for file in outputs_of(suffix):
            shutil.copy(os.path.join(theirs, file), place)
        compiler.program(place, options, outputs_of(suffix))
        archives = [os.path.relpath(path, theirs) for path in files_of(theirs)]
        count.add("%s: lld and the %s driver" % (way, name), unequal(place, theirs, ["program", *archives]))
        count.add("%s: program of lld and the %s driver" % (way, name), runs(kpack, place))


def check(release, tools, kpack, folder, count):
    """Counts, for each way to compile, whether programs run and are the right ones."""
    shutil.rmtree(folder, ignore_errors=True)
    clang, headers = tools + "/clang++", resources(release)
    linker = ["--ld-path=" + kpack + "/ld.kpack"]
    drivers = {name: Compiler([clang, *DRIVERS[name], *headers], linker) for name in release["drivers"]}
    old = drivers["old"]
    ours = Compiler([kpack + "/kpack-clang++", "--kpack-clang=/usr/lib/llvm-%s/bin/clang++" % release["major"],
                     *headers], [])
    for way, (options, mode, suffix) in WAYS.items():
        top = os.path.join(folder, way.replace(" ", "-"))
        for name, compiler in (("patched", old), ("kpack", ours)):
            if compiler is ours and way in PATCHED_ONLY:
                continue
            place = os.path.join(top, name)
            os.makedirs(place)
            compiler.compile(place, options, mode, suffix)
            compiler.program(place, options, outputs_of(suffix))
        count.add("%s: program" % way, runs(kpack, top + "/patched"))
        if way not in PATCHED_ONLY:
            same_program = "linked_handles" not in release and way not in OTHER_PROGRAM
            as_of_kpack(kpack, top + "/patched", top + "/kpack", way, same_program, count)
        if "new" in drivers:
            of_new_driver(kpack, drivers["new"], top, way, count)
        if "lld" in release["tools"] and way not in NO_LLD:
            of_lld(kpack, {name: Compiler(driver.command, []) for name, driver in drivers.items()}, top, way, count)
        if way in ("objects", "RDC"):
            count.add("%s: of both compilers" % way, mixed(kpack, old, top, options))
    for driver in ("--no-offload-new-driver", "--offload-new-driver"):
        same_without(release, tools, os.path.join(folder, "stock"), driver, count)
