# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A library of one shape (shapes/), built by the drop-in compiler in the place of
# hipcc, with a rewritten dispatcher and with the link seam, and run on the
# emulated GPU: it prints what the library that was compiled ahead of time
# prints. What was prebuilt is all that a program asks for.
import argparse
import glob
import os
import shutil
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--shape", required=True)
parser.add_argument("--clang", required=True)
parser.add_argument("--build", required=True)
parser.add_argument("--work", required=True)
o = parser.parse_args()

here = os.path.dirname(os.path.abspath(__file__))
bin, lib = os.path.join(o.build, "bin"), os.path.join(o.build, "lib")
ck_jit, hipcc, kpack_run = (os.path.join(bin, p) for p in ("ck-jit", "ck-jit-hipcc", "kpack-run"))
runtime = "-l:libamdhip64.so.5"


def run(*command, expect=0, **options):
    result = subprocess.run(command, text=True, capture_output=True, **options)
    if result.returncode != expect:
        sys.exit("%s\nended with %d:\n%s%s" % (" ".join(command), result.returncode,
                                              result.stdout[-8000:], result.stderr[-8000:]))
    return result


shutil.rmtree(o.work, ignore_errors=True)
shutil.copytree(os.path.join(here, "shapes"), o.work)
shutil.copy(os.path.join(here, "minick", "minick.h"), o.work)
os.chdir(o.work)
run(sys.executable, "-B", "generate.py", o.shape)
with open("real-hipcc", "w") as f:
    f.write('#!/bin/sh\nfor A; do case $A in -c) exec %s -x hip "$@";; esac; done\nexec %s "$@"\n' % (o.clang, o.clang))
os.chmod("real-hipcc", 0o755)
flags = ["-std=c++17", "-O2", "-fPIC", "-I" + o.work, "-nogpuinc", "-nogpulib", "--offload-arch=gfx90a",
         "-mcode-object-version=4", "--no-offload-new-driver"]
sources = ["pick_api.cpp"] + sorted(glob.glob("blob/*.cpp")) + sorted(glob.glob("host.cpp"))


def library(kind, compiler, **settings):
    """The commands of a build, one a source and one for the library."""
    os.makedirs(kind)
    values = dict(os.environ, CK_JIT_REAL_HIPCC=os.path.join(o.work, "real-hipcc"), CK_JIT_CLANG=o.clang,
                  CK_JIT_DISPATCHERS="^pick_api[.]cpp$", CK_JIT_BUILD_DIR=os.path.join(o.work, kind, "records"),
                  **settings)
    objects = []
    for source in sources:
        objects.append("%s/%s.o" % (kind, os.path.basename(source)))
        run(compiler, *flags, "-c", source, "-o", objects[-1], env=values)
    return run(compiler, "-shared", "-fPIC", *objects, runtime, "-o", kind + "/libshape.so", env=values)


def call(kind, cache, **settings):
    values = {k: v for k, v in os.environ.items() if not k.startswith("CK_JIT_")}
    values.update(LD_LIBRARY_PATH=os.path.join(o.work, kind), CK_JIT_COMPILER=o.clang,
                  CK_JIT_CACHE_DIR=os.path.join(o.work, cache), **settings)
    return run(kpack_run, "--gpu=gfx90a", "--", "./main", env=values)


library("ahead", os.path.join(o.work, "real-hipcc"))
run(o.clang, "-std=c++17", "-DSHAPE_" + o.shape, "main.cpp", "-Lahead", "-lshape", "-Wl,--allow-shlib-undefined",
    runtime, "-ldl", "-o", "main")
wanted = call("ahead", "none").stdout
print(wanted, end="")
for kind, settings in (("rewrite", {}), ("seam", {"CK_JIT_SEAM": "1"})):
    linked = library(kind, hipcc, **settings)
    print("%s: %s%s" % (kind, linked.stdout, linked.stderr), end="")
    result = call(kind, kind + "-cache")
    if result.stdout != wanted:
        sys.exit("%s: another result:\n%s%s" % (kind, result.stdout, result.stderr))
    print("".join(kind + ": " + line + "\n" for line in result.stderr.splitlines() if " compiled, " in line), end="")
    run(ck_jit, "prebuild", "build", "--all", "--library=%s/libshape.so" % kind, "--target=gfx90a",
        "--cache-dir=" + kind + "-prebuilt", "--compiler=" + o.clang)
    strict = call(kind, kind + "-prebuilt", CK_JIT_MODE="strict")
    last = strict.stderr.splitlines()[-1]
    if strict.stdout != wanted or not last.startswith("end: 0 compiled, "):
        sys.exit("%s: not what was prebuilt:\n%s%s" % (kind, strict.stdout, strict.stderr))
    print("%s: strict: %s" % (kind, last))
shutil.rmtree(o.work)
