# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels of an API, compiled by the first call that wants them, on the emulated
# GPU: their results must be the reference's, and bit for bit those of the same
# blobs compiled ahead of time. The dispatcher has stubs in its source
# (rewrite) or in the link (seam). A kernel that is broken must be noticed.
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--api", required=True)
parser.add_argument("--style", required=True)
parser.add_argument("--choose", required=True, help="option of generate.py that chooses variants")
parser.add_argument("--break", dest="broken", help="what fmha_kernels.h has, and what instead: A=>B")
parser.add_argument("--compiler", required=True, help="clang++, or hipcc with its own headers")
parser.add_argument("--clang", required=True)
parser.add_argument("--build", required=True)
parser.add_argument("--include", required=True)
parser.add_argument("--work", required=True)
o = parser.parse_args()

here = os.path.dirname(os.path.abspath(__file__))
bin = os.path.join(o.build, "bin")
lib = os.path.join(o.build, "lib")
ck_jit = os.path.join(bin, "ck-jit")
runtime = "-l:libamdhip64.so.5"


def run(*command, expect=0, **options):
    result = subprocess.run(command, text=True, capture_output=True, **options)
    if result.returncode != expect:
        sys.exit("%s\nended with %d:\n%s%s" % (" ".join(command), result.returncode,
                                              result.stdout[-8000:], result.stderr[-8000:]))
    return result


shutil.rmtree(o.work, ignore_errors=True)
shutil.copytree(os.path.join(here, "minick"), os.path.join(o.work, "minick"))
os.chdir(o.work)
run(sys.executable, "minick/generate.py", "-d", o.api, "--style", o.style, o.choose,
    "--list", "variants", "-o", "blobs")
(api,) = glob.glob("blobs/*_api.cpp")
by_hipcc = os.path.basename(o.compiler) == "hipcc"

# The library's build, without the compile of a single blob.
flags = ["-std=c++17", "-O2", "-fPIC", "-I" + os.path.join(o.work, "minick")]
plain = ["-nogpuinc", "-nogpulib"]
hip = ["-x", "hip", "--offload-arch=gfx90a"] + (
    ["-DMINICK_HIP_HEADERS"] if by_hipcc else plain + ["-mcode-object-version=4", "--no-offload-new-driver"])
parse = ["-x", "hip", "--offload-host-only", "--offload-arch=gfx90a"] + plain + flags
host = [o.clang] + parse + ["-I" + o.include, "-c"]
run(ck_jit, "index", "--blobs=blobs", api, "-o", "index.json", "--", *parse)
with open("index.json") as f:
    blobs = sorted({"blobs/%s.cpp" % s["stem"] for s in json.load(f)["stubs"]})
with open("manifest.ndjson", "w") as f:
    for blob in blobs:
        json.dump({"source": blob, "cwd": o.work, "argv": hip + flags + ["-c", blob]}, f)
        f.write("\n")
run(ck_jit, "embed", "--index=index.json", "--root=" + o.work, "--link-flag=" + runtime, "manifest.ndjson",
    "-o", "manifest.cpp")
run(ck_jit, "rewrite", "--blobs=blobs", api, "-o", "rewritten.cpp", "--", *parse)
run(*host, api, "-o", "api.o")
run(ck_jit, "seam", "--index=index.json", "api.o", "-o", "seam.s")
stubs = ["manifest.cpp", "-std=c++17", "-fPIC", "-I" + o.include, "-L" + lib, "-lckjit", "-Wl,-rpath," + lib]
run(*host, "rewritten.cpp", "-o", "rewritten.o")
for name, objects in (("rewrite", ["rewritten.o"]), ("seam", ["api.o", "seam.s"])):
    os.mkdir(name)
    run(o.clang, "-shared", *objects, *stubs, runtime, "-o", name + "/libminick.so")

# Ahead of time, by one command of the compiler.
os.mkdir("ahead")
run(o.compiler, *(hip[2:] if by_hipcc else hip), *flags, "-shared", api, *blobs,
    *([] if by_hipcc else ["-no-hip-rt", runtime]), "-o", "ahead/libminick.so")

run(o.clang, "-std=c++17", *(["-DMINICK_LAUNCHER"] if o.style == "2026" else []),
    "minick/numbers/numbers.cpp", "minick/numbers/%s.cpp" % o.api,
    "-Lahead", "-lminick", "-Wl,--allow-shlib-undefined", runtime, "-o", "numbers")


def numbers(library, *words, expect=0, **settings):
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.join(o.work, library), CK_JIT_COMPILER=o.compiler,
                       CK_JIT_ROOT=o.work, CK_JIT_CACHE_DIR=os.path.join(o.work, "cache"), **settings)
    return run(os.path.join(bin, "kpack-run"), "--", "./numbers", *words, expect=expect, env=environment).stdout


def same(one, other):
    with open(one, "rb") as a, open(other, "rb") as b:
        if a.read() != b.read():
            sys.exit("%s and %s differ" % (one, other))


first = numbers("rewrite", "variants", "first.out")
if "kernels: %d compiled, 0 from the cache" % len(blobs) not in first:
    sys.exit("first process: %d blobs, but\n%s" % (len(blobs), first))
print(first, end="")
for library in ("rewrite", "seam"):
    again = numbers(library, "variants", library + ".out", CK_JIT_MODE="strict")
    if "kernels: 0 compiled, %d from the cache" % len(blobs) not in again:
        sys.exit("%s: a later process:\n%s" % (library, again))
    same("first.out", library + ".out")
numbers("ahead", "variants", "ahead.out")
same("first.out", "ahead.out")
print("rewrite, seam and ahead of time: the same bits")

# The comparison can fail: the first variant, from a header that was edited.
if o.broken:
    before, after = o.broken.split("=>")
    with open("minick/fmha_kernels.h") as f:
        text = f.read()
    if text.count(before) != 1:
        sys.exit("fmha_kernels.h has '%s' %d times" % (before, text.count(before)))
    with open("minick/fmha_kernels.h", "w") as f:
        f.write(text.replace(before, after))
    with open("variants") as f, open("broken", "w") as to:
        to.write(f.readline())
    broken = numbers("rewrite", "broken", expect=1)
    if "WRONG" not in broken:
        sys.exit("a broken kernel was not noticed:\n" + broken)
    print("broken: " + broken, end="")
shutil.rmtree(o.work)
