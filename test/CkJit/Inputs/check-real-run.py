# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A kernel of ComposableKernel, from a checkout that the caller has: its own
# generator and sources, compiled by the first call, run on the emulated GPU
# under Debian's ROCm and compared with a reference; then out of the cache, by a
# library with the link seam. A minute of processor time: the kernel's compile.
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--ck-dir", required=True)
parser.add_argument("--clang", required=True)
parser.add_argument("--build", required=True)
parser.add_argument("--include", required=True)
parser.add_argument("--work", required=True)
o = parser.parse_args()

here = os.path.dirname(os.path.abspath(__file__))
fmha = os.path.join(o.ck_dir, "example", "ck_tile", "01_fmha")
ck_jit, kpack_run, lib = (os.path.join(o.build, p) for p in ("bin/ck-jit", "bin/kpack-run", "lib"))
runtime = "-l:libamdhip64.so.5"
# The last line: what Debian's headers of ROCm 5.2 want of a newer clang.
flags = ["-x", "hip", "-std=c++17", "-O3", "-fPIC", "-w", "--offload-arch=gfx90a", "-D__HIP_PLATFORM_AMD__",
         "-DCK_TILE_FMHA_FWD_FAST_EXP2=1", "-fgpu-flush-denormals-to-zero", "-I" + os.path.join(o.ck_dir, "include"),
         "-I" + fmha, "--rocm-path=/usr", "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
         "-mcode-object-version=4", "--no-offload-new-driver", "-D__AMDGCN_WAVEFRONT_SIZE=64",
         "-D__llvm_amdgcn_rcp_f16=__builtin_amdgcn_rcph", "-D__llvm_amdgcn_rcp_2f16(x)=(x)"]
host = flags + ["--offload-host-only"]


def run(*command, **options):
    result = subprocess.run(command, text=True, capture_output=True, **options)
    if result.returncode:
        sys.exit("%s\nended with %d:\n%s%s" % (" ".join(command), result.returncode,
                                              result.stdout[-4000:], result.stderr[-4000:]))
    return result


def link(folder, *inputs):
    os.mkdir(folder)
    run(o.clang, "-shared", "-fPIC", "-std=c++17", "-I" + o.include, *inputs, "manifest.cpp", "-L" + lib, "-lckjit",
        "-Wl,-rpath," + lib, runtime, "-o", folder + "/libmha_fwd.so")


def call(library, **settings):
    values = {k: v for k, v in os.environ.items() if not k.startswith("CK_JIT_")}
    values.update(LD_LIBRARY_PATH=os.path.abspath(library), CK_JIT_CACHE_DIR=os.path.abspath("cache"),
                  CK_JIT_COMPILER=o.clang, CK_JIT_VERBOSE="1", **settings)
    result = run(kpack_run, "--", "./once", env=values)
    print("%s: %s" % (library, result.stdout), end="")
    return result.stderr


shutil.rmtree(o.work, ignore_errors=True)
os.makedirs(os.path.join(o.work, "blobs"))
os.chdir(o.work)
run(sys.executable, "-B", os.path.join(fmha, "generate.py"), "-d", "fwd", "-f", "*_d32_fp16_batch_*_qr_vr_psskddv_bias",
    "-o", "blobs")
(api,) = glob.glob("blobs/**/*_api.cpp", recursive=True)
(blob,) = [b for b in glob.glob("blobs/**/*.cpp", recursive=True) if b != api]
with open("manifest.ndjson", "w") as f:
    json.dump({"source": blob, "cwd": os.getcwd(), "argv": flags + ["-c", blob]}, f)
run(ck_jit, "index", "--blobs=blobs", api, "-o", "index.json", "--", *host)
run(ck_jit, "embed", "--index=index.json", "--root=" + os.getcwd(), "--install-root=" + os.getcwd(),
    "--link-flag=" + runtime, "manifest.ndjson", "-o", "manifest.cpp")

run(ck_jit, "rewrite", "--blobs=blobs", api, "-o", "rewritten.cpp", "--", *host)
run(o.clang, *host, "-O1", "-I" + o.include, "-c", "rewritten.cpp", "-o", "rewritten.o")
link("rewrite", "rewritten.o")
run(o.clang, *host, "-O1", "-c", api, "-o", "api.o")
run(ck_jit, "seam", "--index=index.json", "api.o", "-o", "seam.s")
link("seam", "api.o", "seam.s")
run(o.clang, *host, "-O1", "-c", os.path.join(here, "real", "fmha_fwd_once.cpp"), "-o", "once.o")
run(o.clang, "once.o", "-Lrewrite", "-lmha_fwd", "-Wl,--allow-shlib-undefined", runtime, "-o", "once")

os.mkdir("cache")
if "ck-jit: compiled " not in call("rewrite"):
    sys.exit("the first call has compiled nothing")
if "ck-jit: loaded " not in call("seam", CK_JIT_MODE="strict"):
    sys.exit("a later process has loaded nothing")
shutil.rmtree(o.work)
