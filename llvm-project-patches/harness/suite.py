# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""This project's own compile and link tests, with the patched clang and lld in the places
of kpack-clang++ and ld.kpack: every test of FOLDERS whose commands have one of them.

What the patched tools do not have, or say in other words, is in EXPECTED with the reason.
Such a test must fail, and print what is written there: one that passes, or fails in
another way, is a failure, and its line has to change."""
import json
import os
import re
import subprocess

from common import SOURCE, fail, say

LIT = "/usr/lib/llvm-22/bin/lit"
TESTS = os.path.join(SOURCE, "test")
FOLDERS = ["Driver", "Linker", "Plugin", "SoftGpu", "tools/kpack"]
TOOLS = ["%kpack_clang", "%ld_kpack"]

# Reasons that several tests have, and what such a test prints where it fails.
DRIVER_OPTION = ("needs an option of kpack-clang++", "clang++: error: unknown argument: '--kpack-")
LINKER_OPTION = ("needs an option that only ld.kpack has", "ld.lld: error: unknown argument '--kpack-")
DEVICE_LINK = ("needs a device link, which lld does not do", "no file has the code objects for")
BITCODE = (DEVICE_LINK[0], "code that has to be linked, as of -fgpu-rdc, is not supported")
SYSTEM_HIP = ("only kpack-clang++ finds Debian's HIP by itself", "error: cannot find ROCm device library")
STAYS = ("where a compilation fails, clang leaves the object of an earlier one", "+ not test -e x.o")


def words(tool, prefix):
    """Of tests that look for what one of our tools says: the first that is not there."""
    return "says what is wrong in the words of " + tool, "error: %s: expected string not found" % prefix


# Tests, each with a reason and a text of what it prints.
EXPECTED = {
    "Driver/assembly.test": ("a source has another -cuid= in clang with -S than with -c", "c.bin s.bin differ"),
    "Driver/ccache-compiler.test": DRIVER_OPTION,
    "Driver/cmake-ipo.test": ("clang's archiver has another name", "error: TOOLS: expected string not found"),
    "Driver/compiler-crash.test": ("needs --kpack-clang=, a clang of one's choice", "+ test -s names"),
    "Driver/deterministic.test": DRIVER_OPTION,
    "Driver/diagnostics-driver.test": STAYS,
    "Driver/diagnostics.test": STAYS,
    "Driver/dry-run.test": words("kpack-clang++ -###", "CHECK"),
    "Driver/errors-files.test": ("clang says more of a file that is not there", "MISSING-NOT: excluded string found"),
    "Driver/errors.test": words("kpack-clang++", "CUID"),
    "Driver/interrupt.test": DRIVER_OPTION,
    "Driver/options.test": DRIVER_OPTION,
    "Driver/products.test": words("our own programs, of the libraries that they find,", "CHECK-COUNT"),
    "Driver/rdc.test": BITCODE,
    "Driver/real-functions.test": SYSTEM_HIP,
    "Driver/real-headers.test": SYSTEM_HIP,
    "Driver/replaced.test": ("clang makes a new file, with other permissions", "+ grep 600"),
    "Driver/same-name.test": DRIVER_OPTION,
    "Driver/spirv.test": words("kpack-clang++ -v, which chooses LLVM's backend for SPIR-V,", "NOTE"),
    "Driver/stock.test": ("the jobs name programs of another installation", "stock.jobs ours.jobs differ"),
    "Driver/streams.test": ("clang reads standard input anew for each target", "undefined symbol: main"),
    "Driver/targets.test": words("kpack-clang++ -###", "ALL"),
    "Linker/cuids.test": words("ld.kpack", "CUID"),
    "Linker/deterministic.test": LINKER_OPTION,
    "Linker/failures.test": words("ld.kpack", "UNDEFINED"),
    "Linker/malformed-objects.test": ("lld takes program headers in an object", "FileCheck error: '<stdin>' is empty."),
    "Linker/no-device-code.test": ("lld refuses --kpack for 32 bit, also without device code",
                                   "--kpack is only supported on 64-bit little-endian targets"),
    "Linker/options-errors.test": words("ld.kpack", "ALONE"),
    "Linker/options.test": words("ld.kpack --help", "HELP"),
    "Linker/outputs.test": words("ld.kpack", "ARCHIVE"),
    "Linker/passthrough.test": words("ld.kpack, which has no -flavor,", "FLAVOR"),
    "Linker/places.test": words("ld.kpack", "DIR"),
    "Linker/rdc-libraries.test": DEVICE_LINK,
    "Linker/rdc-options.test": LINKER_OPTION,
    "Linker/rdc.test": DEVICE_LINK,
    "Linker/relocatable.test": ("fat objects that ld -r has joined are refused", "has several fat binaries"),
    "Linker/repeated-cuid.test": words("ld.kpack", "CERTAIN"),
    "Linker/replaced.test": ("lld makes new files, with other permissions", "+ grep '^750 600 600 640 $'"),
    "Linker/signals.test": DEVICE_LINK,
    "Linker/wrappers.test": words("ld.kpack", "SHARED"),
    "Plugin/link.hip": words("ld.kpack", "SAME"),
    "SoftGpu/device-debug.test": SYSTEM_HIP,
    "SoftGpu/negative.test": SYSTEM_HIP,
    "SoftGpu/pack-tree.test": SYSTEM_HIP,
}
# More of them where the new offload driver does not take --emit-kpack.
WITHOUT_NEW_DRIVER = {
    "Driver/modes.test": ("--emit-kpack is one of the old driver alone",
                          "'--emit-kpack' not allowed with '--offload-new-driver'"),
}


def text_of(name):
    with open(os.path.join(TESTS, name)) as file:
        return file.read()


def tests():
    """Names of tests, as lit has them, that run one of the tools."""
    found = []
    for where, folders, names in os.walk(TESTS):
        folders[:] = [folder for folder in folders if folder != "Inputs"]
        for name in names:
            path = os.path.relpath(os.path.join(where, name), TESTS)
            if path.startswith(tuple(folder + "/" for folder in FOLDERS)):
                text = text_of(path)
                if any(tool in text for tool in TOOLS):
                    found.append(path)
    return sorted(found)


def expected(release):
    """{name: (reason, text)} of the tests that must fail with this release."""
    return EXPECTED if "new" in release["drivers"] else {**EXPECTED, **WITHOUT_NEW_DRIVER}


def run(build, tools, names, results, fails, jobs):
    """{name: (code, what it printed)}"""
    if os.path.exists(results):
        os.remove(results)
    done = subprocess.run(
        [LIT, "-q", "-j", str(jobs), "--param=patched=" + tools, "-o", results,
         "--xfail=" + ";".join(fails), *[os.path.join(build, "test", name) for name in names]],
        text=True, capture_output=True)
    if not os.path.exists(results):
        fail("lit: did not finish:\n%s" % (done.stdout + done.stderr)[-3000:])
    with open(results) as file:
        return {test["name"].split(" :: ")[1]: (test["code"], test["output"]) for test in json.load(file)["tests"]}


def problem(name, code, said, fails):
    """What is wrong with how a test ended, or nothing. Some say that they are for another LLVM."""
    if code == "UNSUPPORTED" and re.search(r"^\W*(UNSUPPORTED|REQUIRES): llvm-", text_of(name), re.MULTILINE):
        return ""
    if name not in fails:
        return "" if code == "PASS" else "%s\n%s" % (code, said[-3000:])
    reason, text = fails[name]
    if code != "XFAIL":
        return "%s, and should fail: %s" % (code, reason)
    return "" if text in said else "does not fail with '%s'\n%s" % (text, said[-3000:])


def check(release, tools, kpack, folder, count, jobs):
    """Counts each test: it passes, or fails where and as it is expected to."""
    names, fails = tests(), expected(release)
    count.add("tests that harness/suite.py lists and are not there", " ".join(sorted(set(fails) - set(names))))
    os.makedirs(folder, exist_ok=True)
    found = run(os.path.dirname(kpack), tools, names, os.path.join(folder, "results.json"), fails, jobs)
    for name in names:
        count.add("with the patched tools: " + name, problem(name, *found.get(name, ("missing", "")), fails))
    codes = [code for code, _ in found.values()]
    say("%d of this project's tests with the patched tools: %s" % (
        len(names), ", ".join("%d %s" % (codes.count(code), code) for code in sorted(set(codes)))))
