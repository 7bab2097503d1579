# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A rewritten dispatcher, with and without --table, must call what the original
# calls, for 10,000 random argument sets; and the index must have exactly the
# undefined symbols of the original's object (nm -u).
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--api", required=True)
parser.add_argument("--style", required=True)
parser.add_argument("--variants", required=True)
parser.add_argument("--ck-jit", required=True)
parser.add_argument("--clang", required=True)
parser.add_argument("--include", required=True)
parser.add_argument("--work", required=True)
parser.add_argument("--least", type=int, required=True, help="functions that must have been called")
o = parser.parse_args()

here = os.path.dirname(os.path.abspath(__file__))
minick = os.path.join(here, "minick")
flags = ["-std=c++17", "-I" + minick]


def run(*command, **options):
    result = subprocess.run(command, text=True, capture_output=True, **options)
    if result.returncode:
        sys.exit("%s\nfailed:\n%s%s" % (" ".join(command), result.stdout[-4000:], result.stderr[-4000:]))
    return result


shutil.rmtree(o.work, ignore_errors=True)
os.makedirs(o.work)
os.chdir(o.work)
run(sys.executable, os.path.join(minick, "generate.py"), "-d", o.api, "--style", o.style,
    "--variants", o.variants, "-o", "blobs")
(api,) = glob.glob("blobs/*_api.cpp")
run(o.ck_jit, "index", "--blobs=blobs", api, "-o", "index.json", "--", *flags)
stubs = json.load(open("index.json"))["stubs"]

run(o.clang, *flags, "-c", api, "-o", "original.o")
undefined = {line.split()[-1] for line in run("nm", "-u", "original.o").stdout.splitlines()}
wanted = {s for s in undefined if re.match(r"_Z\d+fmha_", s)}
indexed = {s["symbol"] for s in stubs}
if wanted != indexed:
    sys.exit("nm -u and the index differ: %s" % sorted(wanted ^ indexed)[:5])

# A function for each specialisation. The argument registers are not looked at.
with open("selected.cpp", "w") as f:
    f.write('#include "minick.h"\nvoid record_call(unsigned);\n'
            "struct made_function { const char *symbol; void *address; };\n")
    for i, s in enumerate(stubs):
        kind = s["signature"].split(" (")[0]
        value = {"void": "", "std::string": ' return "%s";' % s["stem"]}.get(kind, " return %d;" % (i % 2))
        f.write('extern "C" %s f%d() asm(PREFIX "%s");\n%s f%d() { record_call(%d);%s }\n' % (
            kind, i, s["symbol"], kind, i, i, value))
    f.write("extern const made_function made_functions[] = {\n")
    f.writelines('  {"%s", (void *)f%d},\n' % (s["symbol"], i) for i, s in enumerate(stubs))
    f.write("};\nextern const unsigned made_count = %d;\n" % len(stubs))
# The linker must not find them where a rewritten dispatcher has its stubs.
run(o.clang, *flags, "-w", "-DPREFIX=", "-c", "selected.cpp", "-o", "linked.o")
run(o.clang, *flags, "-w", '-DPREFIX="made_"', "-c", "selected.cpp", "-o", "made.o")
flags.append("-I" + o.include)
select = ["-DMINICK_API=call_" + o.api] + (["-DMINICK_LAUNCHER"] if o.style == "2026" and o.api == "bwd" else [])
run(o.clang, *flags, *select, "-Wno-unused-function", "-ffunction-sections", "-c",
    os.path.join(minick, "select.cpp"))


def choices(name, dispatcher, functions):
    run(o.clang, "-fuse-ld=lld", "-Wl,--gc-sections", dispatcher, "select.o", functions, "-o", name)
    result = run("./" + name)
    called = int(re.search(r"called (\d+) of", result.stderr).group(1))
    if called < o.least:
        sys.exit("%s: %s: too few to be a test" % (name, result.stderr.strip()))
    return result.stdout, called


original, called = choices("original", "original.o", "linked.o")
for name, options in (("rewritten", []), ("table", ["--table"])):
    report = run(o.ck_jit, "rewrite", "--blobs=blobs", api, "-o", name + ".cpp", *options, "--", *flags).stderr
    run(o.clang, *flags, "-Wall", "-Werror", "-c", name + ".cpp")
    left = {line.split()[-1] for line in run("nm", "-u", name + ".o").stdout.splitlines()} & indexed
    if left:
        sys.exit("%s: still asks the linker for %s" % (name, sorted(left)[:3]))
    other, _ = choices(name, name + ".o", "made.o")
    if other != original:
        pairs = zip(original.splitlines(), other.splitlines())
        sys.exit("%s: chooses otherwise: %s" % (name, next(p for p in pairs if p[0] != p[1])))
    print(report.replace("blobs/", ""), end="")
print("same choices of %d functions" % called)
shutil.rmtree(o.work)
