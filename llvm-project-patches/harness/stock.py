# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Without --emit-kpack the patched clang is Debian's: every source of HIP, C and C++ in
examples/ and test/ is compiled by both, HIP with both offload drivers. Objects, what the
compiler says and its exit status have to be the same.

A source gets the options of the first line in OPTIONS that is for it, after those that
its language needs. One that Debian's clang does not compile then is a failure, unless it
is in WRONG, whose mistakes both must find, or in NOT_COMPILED, with a reason."""
import concurrent.futures
import fnmatch
import os
import re
import shutil
import subprocess

import hip
from common import SOURCE, say

FOLDERS = ["examples", "test"]
SUFFIXES = (".c", ".cc", ".cpp", ".cu", ".hip")
ARCHES = ["gfx90a"]
DRIVERS = ["--no-offload-new-driver", "--offload-new-driver"]

# Paths, with asterisks, and options; {source} is the source tree, {build} this project's build.
OPTIONS = [
    ("examples/kernel_library/kernel.hip", ["-DLENGTH=8", "-DREAL=float"]),
    ("test/CkJit/Inputs/hip/main.cpp", ['-DHIP_INPUTS="inputs"', '-DLIBRARIES="lib"']),
    ("test/CkJit/Inputs/minick/select.cpp", ["-DMINICK_API=call_fwd"]),
    ("test/CkJit/Inputs/project/*.cu", ["-I{source}/test/CkJit/Inputs/minick"]),
    ("test/CkJit/Inputs/shapes/*", ["-I{source}/test/CkJit/Inputs/minick"]),
    ("test/ConvBuilder/Inputs/aot.hip", ["-std=c++20", "-I{source}/examples"]),
    ("test/ConvBuilder/Inputs/*", ["-I{source}/unittests/ConvBuilder"]),
    ("test/Driver/Inputs/rdc-*.hip", ["-fgpu-rdc"]),
    # Intrinsics that clang has no more are left undefined.
    ("test/Driver/Inputs/real/functions.hip", ["-fgpu-rdc"]),
    ("test/HostRewrite/Inputs/windows/code.c", ["-DN=1"]),
    ("test/HostRewrite/Inputs/windows/main.c", ["--target=x86_64-pc-windows-gnu"]),
    ("test/JitGraph/Inputs/gpu-models.cpp", ["-I{source}/examples"]),
    ("test/Linker/Inputs/rdc/*.hip", ["-fgpu-rdc"]),
    ("test/SoftGpu/Kfd/Inputs/border.cpp", ["-I{build}/obj/lib/SoftGpu/Kfd/include"]),
    ("test/SoftGpu/*.hip", ["-I{source}/test/SoftGpu/Inputs"]),
]
# Mistakes are what they are for.
WRONG = ["test/ConvBuilder/Inputs/import-errors.cpp", "test/ConvBuilder/Inputs/instance-errors.cpp",
         "test/ConvBuilder/Inputs/messages.cpp",
         "test/Driver/Inputs/errors.hip", "test/Driver/Inputs/host-error.hip"]
NOT_COMPILED = {
    "test/CkJit/Inputs/real/fmha_fwd_once.cpp": "needs a checkout of ComposableKernel",
    "test/JitGraph/Inputs/gpu-calls.cpp": "includes a list of functions that its test makes",
}


def sources():
    """All of them, relative to the source tree."""
    return sorted(os.path.relpath(os.path.join(where, name), SOURCE) for folder in FOLDERS
                  for where, _, names in os.walk(os.path.join(SOURCE, folder))
                  for name in names if name.endswith(SUFFIXES))


def text_of(path):
    with open(path) as file:
        return file.read()


def is_hip(source):
    """Whether it is compiled as HIP; what compiles when it runs only has texts that look so."""
    text = text_of(os.path.join(SOURCE, source))
    return source.endswith((".cu", ".hip")) or "__global__" in text and "kpack/Jit" not in text


def includes_hip(path):
    """Whether it needs the HIP of the system, by itself or by a header that it names."""
    text = text_of(path)
    headers = [os.path.join(os.path.dirname(path), name) for name in re.findall('^#include "(.*)"', text, re.MULTILINE)]
    return "<hip/hip_" in text or any(includes_hip(header) for header in headers if os.path.exists(header))


def options_of(release, source, build):
    options = ["-O1", "-I" + SOURCE + "/include"]
    if source.endswith(".c"):
        options += ["-x", "c"]
    elif is_hip(source):
        options += ["-x", "hip", "-std=c++20"]
        options += hip.options(release, ARCHES) if includes_hip(os.path.join(SOURCE, source)) else [
            *hip.options_without(release, ARCHES), "-I" + SOURCE + "/test/Inputs/hip"]
    else:
        options += ["-x", "c++", "-std=c++20", "-D__HIP_PLATFORM_AMD__"]
    for pattern, more in OPTIONS:
        if fnmatch.fnmatch(source, pattern):
            return options + [option.replace("{source}", SOURCE).replace("{build}", build) for option in more]
    return options


def compiled(clang, options, folder):
    """What comes of it: exit status, messages, and the object if there is one."""
    done = subprocess.run([clang, *options, "-o", "out.o"], cwd=folder, capture_output=True)
    made = b""
    if os.path.exists(folder + "/out.o"):
        with open(folder + "/out.o", "rb") as file:
            made = file.read()
        os.remove(folder + "/out.o")
    return done.returncode, done.stderr, made


def difference(source, options, clangs, place):
    """What is wrong with a source, or nothing; both write to the same file."""
    os.makedirs(place)
    stock, patched = [compiled(clang, options, place) for clang in clangs]
    shutil.rmtree(place)
    if (stock[0] != 0) != (source in WRONG):
        return "Debian's clang: exit status %d: %s" % (stock[0], stock[1].decode(errors="replace")[:600])
    names = ["exit status", "messages", "object"]
    return ", ".join(name for name, one, other in zip(names, stock, patched) if one != other)


def check(release, tools, kpack, folder, count, jobs):
    """Counts each source, with each driver where it is one of HIP."""
    shutil.rmtree(folder, ignore_errors=True)
    prefix = "/usr/lib/llvm-%s" % release["major"]
    clangs = [prefix + "/bin/clang++", tools + "/clang++"]
    headers = ["-resource-dir", "%s/lib/clang/%s" % (prefix, release["major"])]
    known = sources()
    count.add("sources that harness/stock.py lists and are not there", " ".join(sorted({*WRONG, *NOT_COMPILED} - set(known))))
    work = [(source, driver) for source in known if source not in NOT_COMPILED
            for driver in (DRIVERS if is_hip(source) else [""])]

    def one(source, driver):
        options = [*headers, *options_of(release, source, os.path.dirname(kpack)), *driver.split()]
        return difference(source, [*options, "-c", os.path.join(SOURCE, source)], clangs,
                          os.path.join(folder, source.replace("/", "-") + driver))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (source, driver), problem in zip(work, pool.map(lambda what: one(*what), work)):
            count.add(" ".join(["without --emit-kpack:", source, driver]), problem)
    say("%d of %d sources compiled by Debian's clang and the patched one, %d of them HIP with both drivers" % (
        len(known) - len(NOT_COMPILED), len(known), len({source for source, driver in work if driver})))
