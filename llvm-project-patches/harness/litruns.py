# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's own lit tests, outside of an LLVM build: configurations made of the tree's
lit.site.cfg.py.in, as CMake would, and what a run of them found."""
import json
import os
import re
import subprocess
import sys

from common import fail

PROJECTS = ["llvm", "clang", "lld"]
# What CMake would know; all others are off, or empty. LLVM's tests ask for no more of a
# target than that it is there, so all of Debian's are named: without one, tests of it
# become unsupported.
YES = ["LLVM_ENABLE_ZLIB", "LLVM_ENABLE_ZSTD", "LLVM_ENABLE_LIBXML2", "LLVM_ENABLE_FFI", "ENABLE_BACKTRACES",
       "LLVM_ENABLE_THREADS", "LLVM_LINK_LLVM_DYLIB", "CLANG_LINK_CLANG_DYLIB", "LLVM_ENABLE_PLUGINS",
       "CLANG_PLUGIN_SUPPORT", "CLANG_ENABLE_OBJC_REWRITER", "CLANG_DEFAULT_PIE_ON_LINUX",
       "CLANG_ENABLE_STATIC_ANALYZER", "ENABLE_SHARED", "CLANG_BUILT_STANDALONE"]


def lit_of(release, tree):
    """lit's folder and command. Debian's LLVM 19 has none, and that of 22 takes no %T."""
    own, prefix = release.get("lit"), "/usr/lib/llvm-" + release["major"]
    if own:
        return os.path.join(tree, own), [sys.executable, "-B", os.path.join(tree, own, "lit.py")]
    return prefix + "/utils/lit", [prefix + "/bin/lit"]


def values(release, tree, folder, tools):
    """{name of a variable of CMake: text}"""
    prefix = "/usr/lib/llvm-" + release["major"]
    targets = subprocess.run([prefix + "/bin/llvm-config", "--targets-built"], text=True,
                             capture_output=True, check=True).stdout.strip()
    major, minor = release["version"].split(".")[:2]
    lit, command = lit_of(release, tree)
    known = {
        "LIT_SITE_CFG_IN_HEADER":
            "import os, sys\nsys.path.insert(1, %r)\ndef path(p): return p\n" % lit,
        "LLVM_HOST_TRIPLE": "x86_64-pc-linux-gnu", "LLVM_TARGET_TRIPLE": "x86_64-pc-linux-gnu",
        "LLVM_SOURCE_DIR": tree + "/llvm", "LLVM_BINARY_DIR": folder + "/llvm", "LLVM_TOOLS_DIR": tools,
        "CURRENT_TOOLS_DIR": tools, "LLVM_LIBS_DIR": prefix + "/lib", "SHLIBDIR": prefix + "/lib",
        "CMAKE_LIBRARY_OUTPUT_DIRECTORY": prefix + "/lib", "CLANG_BINARY_DIR": folder + "/clang",
        "CLANG_SOURCE_DIR": tree + "/clang", "LLD_SOURCE_DIR": tree + "/lld", "LLD_BINARY_DIR": folder + "/lld",
        "CURRENT_LIBS_DIR": prefix + "/lib", "CMAKE_SIZEOF_VOID_P": "8", "SHLIBEXT": ".so", "LLVM_PLUGIN_EXT": ".so",
        "Python3_EXECUTABLE": sys.executable, "PERL_EXECUTABLE": "/usr/bin/perl",
        # lit asks it for its emulations, also where it is not there.
        "GOLD_EXECUTABLE": "/bin/false", "TARGETS_TO_BUILD": targets, "LLVM_NATIVE_ARCH": "X86",
        "HOST_OS": "Linux", "HOST_ARCH": "x86_64", "HOST_CC": "cc", "HOST_CXX": "c++",
        "LLVM_VERSION_MAJOR": major, "LLVM_VERSION_MINOR": minor,
        "LLVM_EXTERNAL_LIT": command[-1], "CLANG_VENDOR_UTI": "org.llvm.clang"}
    known.update(dict.fromkeys(YES, "1"))
    return known


def configure(release, project, tree, folder, tools):
    """The folder with the configuration, in which lit leaves what tests write."""
    known = values(release, tree, folder, tools)
    with open(os.path.join(tree, project, "test", "lit.site.cfg.py.in")) as file:
        template = file.read()
    lines = []
    for line in template.splitlines():
        for name in re.findall(r"@(\w+)@", line):
            quoted = re.search("[\"'][^\"']*@%s@" % name, line)
            line = line.replace("@%s@" % name, known.get(name, "" if quoted else "0"))
        lines.append(line)
    where = os.path.join(folder, project, "test")
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, "lit.site.cfg.py"), "w") as file:
        file.write("\n".join(lines) + "\n")
    return where


def run_lit(command, where, jobs, paths, pattern="."):
    """{test: (code, what it printed)}; paths are below where."""
    results = os.path.join(where, "results.json")
    if os.path.exists(results):
        os.remove(results)
    done = subprocess.run(
        [*command, "-q", "-j", str(jobs), "--filter", pattern,
         "-o", results, *[os.path.join(where, path) for path in paths]], text=True, capture_output=True)
    if not os.path.exists(results):
        fail("lit: did not finish:\n%s" % (done.stdout + done.stderr)[-3000:])
    with open(results) as file:
        tests = json.load(file)["tests"]
    return {test["name"]: (test["code"], test["output"]) for test in tests
            if test["code"] not in ("EXCLUDED", "SKIPPED")}


def run_suites(release, tree, folder, tools, programs, jobs):
    """The results of all suites that these programs are in."""
    found = {}
    for suite in release["suites"]:
        if not set(suite["tools"]) & set(programs):
            continue
        where = configure(release, suite["project"], tree, folder, tools)
        found.update(run_lit(lit_of(release, tree)[1], where, jobs, [suite["folder"]], suite.get("filter", ".")))
    return found


def tests_of(release, tree, folder, tools, files, jobs):
    """The results of those of these files that are tests."""
    found = {}
    for project in PROJECTS:
        start = project + "/test/"
        paths = [file[len(start):] for file in files if file.startswith(start) and "/Inputs/" not in file]
        if paths:
            where = configure(release, project, tree, folder, tools)
            found.update(run_lit(lit_of(release, tree)[1], where, jobs, paths))
    return found


GOOD = ("PASS", "XFAIL", "FLAKYPASS")


def compare(count, before, after):
    """Counts each test: it must pass where it did, and where it is new."""
    for name, (code, said) in sorted(after.items()):
        was = before.get(name, ("none", ""))[0]
        if code in GOOD:
            count.add(name, "")
        elif was in GOOD or (was == "none" and code != "UNSUPPORTED"):
            count.add(name, "%s, and was %s before\n%s" % (code, was, said))
    for name in sorted(set(before) - set(after)):
        if before[name][0] in GOOD:
            count.add(name, "it is there no more")


def summary(results):
    codes = [code for code, _ in results.values()]
    return ", ".join("%d %s" % (codes.count(code), code) for code in sorted(set(codes)))
