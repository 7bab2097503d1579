# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A rewritten dispatcher, with and without --table, must call what the original
# calls, for 10,000 random argument sets; and the index must have exactly the
# undefined symbols of the original's object (nm -u). All that is counted is
# printed; the tests say what it has to be.
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
print("index: %d of %d undefined symbols, %d others" % (len(wanted & indexed), len(wanted), len(indexed - wanted)))

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
    return re.split(r"^(?=\d+:)", result.stdout, flags=re.M)[1:], result.stderr


original, called = choices("original", "original.o", "linked.o")
print("original: %d calls, %s" % (len(original), called), end="")
for name, options in (("rewritten", []), ("table", ["--table"])):
    report = run(o.ck_jit, "rewrite", "--blobs=blobs", api, "-o", name + ".cpp", *options, "--", *flags).stderr
    run(o.clang, *flags, "-Wall", "-Werror", "-c", name + ".cpp")
    left = {line.split()[-1] for line in run("nm", "-u", name + ".o").stdout.splitlines()} & indexed
    print("%s: %d symbols left to the linker" % (name, len(left)))
    other, _ = choices(name, name + ".o", "made.o")
    print(report.replace("blobs/", ""), end="")
    pairs = list(zip(original, other, strict=True))
    print("%s: %d of %d calls choose the same" % (name, sum(a == b for a, b in pairs), len(pairs)))
    for a, b in [p for p in pairs if p[0] != p[1]][:3]:
        print("%s: not the same: %s, but %s" % (name, a, b))
shutil.rmtree(o.work)
