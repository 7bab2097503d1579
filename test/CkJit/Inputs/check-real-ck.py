# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The rewriter on what ComposableKernel's own generator writes, from a checkout
# that the caller has: every specialisation that a dispatcher calls must have
# exactly one blob, and none may be left in what was rewritten. Sources are
# read only; nothing of them is compiled or run but the generator.
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--ck-dir", required=True)
parser.add_argument("--api", required=True)
parser.add_argument("--receipt", default="2")
parser.add_argument("--ck-jit", required=True)
parser.add_argument("--include", required=True)
parser.add_argument("--work", required=True)
o = parser.parse_args()

names = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rocm-names")
fmha = os.path.join(o.ck_dir, "example", "ck_tile", "01_fmha")
flags = ["-x", "hip", "--offload-host-only", "-nogpuinc", "-nogpulib", "--offload-arch=gfx942", "-std=c++17", "-w",
         "-fbracket-depth=8192", "-isystem", names, "-I" + os.path.join(o.ck_dir, "include"), "-I" + fmha,
         "-I" + o.include]


def run(*command):
    result = subprocess.run(command, text=True, capture_output=True)
    if result.returncode:
        sys.exit("%s\nfailed:\n%s%s" % (" ".join(command), result.stdout[-4000:], result.stderr[-4000:]))
    return result


def stubs(dispatcher):
    run(o.ck_jit, "index", "--blobs=blobs", dispatcher, "-o", "index.json", "--", *flags)
    with open("index.json") as f:
        return json.load(f)["stubs"]


shutil.rmtree(o.work, ignore_errors=True)
os.makedirs(os.path.join(o.work, "blobs"))
os.chdir(o.work)
run(sys.executable, "-B", os.path.join(fmha, "generate.py"), "-d", o.api, "-r", o.receipt, "-o", "blobs")
# Its versions differ in whether they add a folder, and in which of several
# dispatchers they write.
dispatchers = sorted(glob.glob("blobs/**/*_api.cpp", recursive=True))
if not dispatchers:
    sys.exit("%s: no dispatcher was generated" % o.api)
for dispatcher in dispatchers:
    wanted = {s["symbol"] for s in stubs(dispatcher)}
    run(o.ck_jit, "rewrite", "--blobs=blobs", "--format=none", dispatcher, "-o", "rewritten.cpp",
        "--report=report.json", "--", *flags)
    with open("report.json") as f:
        report = json.load(f)
    left = stubs("rewritten.cpp")
    if left or not wanted:
        sys.exit("%s: %d of %d functions are left to the linker, for example %s" % (
            dispatcher, len(left), len(wanted), left[:1]))
    blobs = len(glob.glob("blobs/**/*.cpp", recursive=True)) - len(dispatchers)
    print("%s: %d blobs, %d functions wanted, %d references, %d in place, %d through helpers, %d by specialisation, "
          "0 left" % (os.path.basename(dispatcher), blobs, len(wanted), report["references"], report["leaves"],
                      report["helpers"], report["specialized"]))
    for note in report["notes"]:
        print("  note: %s" % (note,))
shutil.rmtree(o.work)
