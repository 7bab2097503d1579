# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A library of an API's variants for the emulated GPU, built in a folder with
# stubs in the place of kernels, and the program that compares its results with
# a reference (minick/numbers). Used by check-numbers.py, check-cold.py and
# check-steps.py.
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

RUNTIME = "-l:libamdhip64.so.5"


def run(*command, expect=0, **options):
    result = subprocess.run(command, text=True, capture_output=True, **options)
    if result.returncode != expect:
        sys.exit("%s\nended with %d:\n%s%s" % (" ".join(command), result.returncode,
                                              result.stdout[-8000:], result.stderr[-8000:]))
    return result


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--api", required=True)
    parser.add_argument("--style", required=True)
    parser.add_argument("--choose", required=True, help="option of generate.py that chooses variants")
    parser.add_argument("--compiler", required=True, help="clang++, or hipcc with its own headers")
    parser.add_argument("--clang", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--work", required=True)
    return parser


class Library:
    def __init__(self, o):
        """In o.work, which becomes the current folder: minick/, variants, blobs/ and the manifest."""
        self.o = o
        here = os.path.dirname(os.path.abspath(__file__))
        self.bin, self.lib = os.path.join(o.build, "bin"), os.path.join(o.build, "lib")
        self.ck_jit = os.path.join(self.bin, "ck-jit")
        shutil.rmtree(o.work, ignore_errors=True)
        shutil.copytree(os.path.join(here, "minick"), os.path.join(o.work, "minick"))
        os.chdir(o.work)
        run(sys.executable, "minick/generate.py", "-d", o.api, "--style", o.style, o.choose,
            "--list", "variants", "-o", "blobs")
        (self.api,) = glob.glob("blobs/*_api.cpp")
        self.by_hipcc = os.path.basename(o.compiler) == "hipcc"
        self.flags = ["-std=c++17", "-O2", "-fPIC", "-I" + os.path.join(o.work, "minick")]
        plain = ["-nogpuinc", "-nogpulib"]
        self.hip = ["-x", "hip", "--offload-arch=gfx90a"] + (
            ["-DMINICK_HIP_HEADERS"] if self.by_hipcc else
            plain + ["-mcode-object-version=4", "--no-offload-new-driver"])
        self.parse = ["-x", "hip", "--offload-host-only", "--offload-arch=gfx90a"] + plain + self.flags
        run(self.ck_jit, "index", "--blobs=blobs", self.api, "-o", "index.json", "--", *self.parse)
        with open("index.json") as f:
            self.blobs = sorted({"blobs/%s.cpp" % s["stem"] for s in json.load(f)["stubs"]})
        with open("manifest.ndjson", "w") as f:
            for blob in self.blobs:
                json.dump({"source": blob, "cwd": o.work, "argv": self.hip + self.flags + ["-c", blob]}, f)
                f.write("\n")
        run(self.ck_jit, "embed", "--index=index.json", "--root=" + o.work, "--link-flag=" + RUNTIME,
            "manifest.ndjson", "-o", "manifest.cpp")

    def compile_host(self, source, output):
        """A dispatcher: no device code is in it."""
        run(self.o.clang, *self.parse, "-I" + self.o.include, "-c", source, "-o", output)

    def link(self, folder, *objects):
        os.mkdir(folder)
        run(self.o.clang, "-shared", *objects, "manifest.cpp", "-std=c++17", "-fPIC", "-I" + self.o.include,
            "-L" + self.lib, "-lckjit", "-Wl,-rpath," + self.lib, RUNTIME, "-o", folder + "/libminick.so")

    def rewritten(self):
        run(self.ck_jit, "rewrite", "--blobs=blobs", self.api, "-o", "rewritten.cpp", "--", *self.parse)
        self.compile_host("rewritten.cpp", "rewritten.o")
        self.link("rewrite", "rewritten.o")

    def seam(self):
        self.compile_host(self.api, "api.o")
        run(self.ck_jit, "seam", "--index=index.json", "api.o", "-o", "seam.s")
        self.link("seam", "api.o", "seam.s")

    def ahead(self):
        """By one command of the compiler, as every build without stubs."""
        os.mkdir("ahead")
        run(self.o.compiler, *(self.hip[2:] if self.by_hipcc else self.hip), *self.flags, "-shared", self.api,
            *self.blobs, *([] if self.by_hipcc else ["-no-hip-rt", RUNTIME]), "-o", "ahead/libminick.so")

    def program(self, folder):
        """numbers, linked with the library in a folder; it runs with any of them."""
        run(self.o.clang, "-std=c++17", *(["-DMINICK_LAUNCHER"] if self.o.style == "2026" else []),
            "minick/numbers/numbers.cpp", "minick/numbers/%s.cpp" % self.o.api,
            "-L" + folder, "-lminick", "-Wl,--allow-shlib-undefined", RUNTIME, "-o", "numbers")

    def command(self, *words):
        return [os.path.join(self.bin, "kpack-run"), "--", "./numbers", *words]

    def environment(self, library, **settings):
        values = dict(os.environ, LD_LIBRARY_PATH=os.path.join(self.o.work, library),
                      CK_JIT_COMPILER=self.o.compiler, CK_JIT_ROOT=self.o.work,
                      CK_JIT_CACHE_DIR=os.path.join(self.o.work, "cache"))
        values.update(settings)
        return values

    def numbers(self, library, *words, expect=0, **settings):
        return run(*self.command(*words), expect=expect, env=self.environment(library, **settings)).stdout
