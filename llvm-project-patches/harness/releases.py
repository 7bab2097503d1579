# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What there is to know of a release of LLVM: its sources, the tools that a series may
change, how they are linked, and the tests of LLVM that must not get worse.

Paths are those of the LLVM monorepo. A tool is built where the series touches its
folder, or a library in "libraries", or of a tool that has a library of its "own", that.
A suite is run where a tool in "tools" was built. Of the "own" library the touched
sources are compiled with the tool's tables of options, and those in "always", which
have the numbers of options in them.

"drivers" names the offload drivers that take --emit-kpack. With "linked_handles" Debian's
clang leaves the handle of a host-only compilation to the link, so that kpack-clang++'s
programs have it in another place than those of the patched clang."""

RELEASES = {
    "19.1": {
        "major": "19",
        "version": "19.1.7",
        "drivers": ["old"],
        "linked_handles": True,
        "lit": "llvm/utils/lit",
        "pool": "pool/main/l/llvm-toolchain-19",
        "tarball": "llvm-toolchain-19_19.1.7.orig.tar.xz",
        "sha256": "ae498f3bc58ae2d9f64ef5f0c035c4240152bf015a5b7738b15c22e93bdc97ce",
        "folders": [
            ".clang-format", "clang/.clang-format", "llvm/.clang-format",
            "llvm/include/llvm/BinaryFormat", "llvm/lib/BinaryFormat",
            "llvm/include/llvm/Object", "llvm/lib/Object",
            "llvm/tools/llvm-readobj", "llvm/tools/llvm-objdump",
            "llvm/unittests/BinaryFormat", "llvm/unittests/Object",
            "llvm/docs/ReleaseNotes.rst", "llvm/docs/CommandGuide",
            "llvm/test/lit.cfg.py", "llvm/test/lit.site.cfg.py.in", "llvm/test/Object",
            "llvm/test/tools/llvm-readobj", "llvm/test/tools/llvm-objdump",
            "llvm/utils/lit",
            "lld/.clang-format", "lld/ELF", "lld/include", "lld/tools/lld", "lld/docs",
            "lld/test/lit.cfg.py", "lld/test/lit.site.cfg.py.in", "lld/test/ELF",
            "clang/docs/ReleaseNotes.rst", "clang/docs/HIPSupport.rst",
            "clang/include/clang", "clang/lib/Basic", "clang/lib/CodeGen", "clang/lib/Driver", "clang/lib/Frontend",
            "clang/lib/FrontendTool", "clang/tools/driver",
            "clang/test/lit.cfg.py", "clang/test/lit.site.cfg.py.in", "clang/test/Driver",
            "clang/test/CodeGenCUDA", "clang/test/CodeGenHIP",
        ],
        "tools": {
            "llvm-readobj": {
                "folder": "llvm/tools/llvm-readobj", "driver": True, "links": ["llvm-readelf"],
                "options": {"Opts.inc": "Opts.td"},
                "libraries": ["llvm/lib/Object", "llvm/lib/BinaryFormat"], "link": ["-lLLVM-19"]},
            "llvm-objdump": {
                "folder": "llvm/tools/llvm-objdump", "driver": True, "links": ["llvm-otool"],
                "options": {"ObjdumpOpts.inc": "ObjdumpOpts.td", "OtoolOpts.inc": "OtoolOpts.td"},
                "libraries": ["llvm/lib/Object", "llvm/lib/BinaryFormat"],
                "link": ["-l:libLLVMDebuginfod.a", "-lLLVM-19", "-lcurl"]},
            "lld": {
                "folder": "lld/tools/lld", "driver": True, "links": ["ld.lld"],
                "options": {"Options.inc": "../../ELF/Options.td"},
                "own": "lld/ELF", "always": ["lld/ELF/Driver.cpp", "lld/ELF/DriverUtils.cpp"],
                "includes": ["lld/include", "lld/ELF"],
                "libraries": ["llvm/lib/Object", "llvm/lib/BinaryFormat"],
                "link": ["-llldELF", "-llldCOFF", "-llldMachO", "-llldMinGW", "-llldWasm", "-llldELF",
                         "-llldCommon", "-lLLVM-19", "-lz", "-lzstd"]},
            "clang": {
                "folder": "clang/tools/driver", "driver": True,
                "links": ["clang++", "clang-19", "clang-cl", "clang-cpp"],
                "options": {"Driver/Options.inc": "../../include/clang/Driver/Options.td"},
                "flags": "-DNDEBUG -frtti -I$tree/clang/include -I$tree/clang/lib/Driver",
                "libraries": ["clang/include", "clang/lib"],
                "users": {
                    "clang/include/clang/Driver/Options.td": [
                        "clang/lib/Driver/**/*.cpp", "clang/lib/Frontend/CompilerInvocation.cpp",
                        "clang/lib/Frontend/CreateInvocationFromCommandLine.cpp",
                        "clang/lib/FrontendTool/ExecuteCompilerInvocation.cpp"],
                    "clang/include/clang/Basic/CodeGenOptions.def": ["clang/lib/Basic/CodeGenOptions.cpp"]},
                "archives": "libclang*.a",
                "without": {
                    "clang/include/clang/Driver/Options.td": [
                        "libclangDriver.a", "libclangInterpreter.a", "libclangTooling.a"]},
                "layouts": ["clang/Basic/CodeGenOptions.h", "clang/Basic/LangOptions.h"],
                "link": ["-lLLVM-19", "-lz", "-lzstd"]},
        },
        "suites": [
            {"project": "llvm", "folder": "tools/llvm-readobj", "tools": ["llvm-readobj"]},
            {"project": "llvm", "folder": "tools/llvm-objdump", "tools": ["llvm-objdump"]},
            {"project": "llvm", "folder": "Object", "tools": ["llvm-readobj", "llvm-objdump"]},
            {"project": "lld", "folder": "ELF", "tools": ["lld"]},
            {"project": "clang", "folder": "Driver", "filter": "linker-wrapper|offload|hip-", "tools": ["clang"]},
            {"project": "clang", "folder": "CodeGenCUDA", "tools": ["clang"]},
            {"project": "clang", "folder": "CodeGenHIP", "tools": ["clang"]},
        ],
    },
    "22.1": {
        "major": "22",
        "version": "22.1.8",
        "drivers": ["old", "new"],
        "pool": "pool/main/l/llvm-toolchain-22",
        "tarball": "llvm-toolchain-22_22.1.8.orig.tar.xz",
        "sha256": "b49b9277aef97616320b2da259e1f8174c65b0ce2fbe2e8629644a97693402fe",
        "folders": [
            ".clang-format", "clang/.clang-format", "llvm/.clang-format",
            "llvm/include/llvm/BinaryFormat", "llvm/lib/BinaryFormat",
            "llvm/include/llvm/Object", "llvm/lib/Object",
            "llvm/include/llvm/Frontend/Offloading", "llvm/lib/Frontend/Offloading",
            "llvm/tools/llvm-readobj", "llvm/tools/llvm-objdump", "llvm/tools/llvm-offload-wrapper",
            "llvm/unittests/BinaryFormat", "llvm/unittests/Object",
            "llvm/docs/ReleaseNotes.md", "llvm/docs/CommandGuide",
            "llvm/test/lit.cfg.py", "llvm/test/lit.site.cfg.py.in", "llvm/test/Object",
            "llvm/test/tools/llvm-readobj", "llvm/test/tools/llvm-objdump",
            "llvm/test/tools/llvm-offload-binary", "llvm/test/tools/llvm-offload-wrapper",
            "llvm/utils/lit",
            "clang/docs/ReleaseNotes.rst", "clang/docs/ClangLinkerWrapper.rst",
            "clang/docs/HIPSupport.rst",
            "clang/include/clang", "clang/lib/Basic", "clang/lib/CodeGen", "clang/lib/Driver", "clang/lib/Frontend",
            "clang/lib/FrontendTool", "clang/lib/Options",
            "clang/tools/driver", "clang/tools/clang-linker-wrapper",
            "clang/test/lit.cfg.py", "clang/test/lit.site.cfg.py.in", "clang/test/Driver",
            "clang/test/CodeGenCUDA", "clang/test/CodeGenHIP",
            "lld/.clang-format", "lld/ELF", "lld/include", "lld/tools/lld", "lld/docs",
            "lld/test/lit.cfg.py", "lld/test/lit.site.cfg.py.in", "lld/test/ELF", "llvm/utils/dtlto",
        ],
        "tools": {
            "llvm-readobj": {
                "folder": "llvm/tools/llvm-readobj", "driver": True, "links": ["llvm-readelf"],
                "options": {"Opts.inc": "Opts.td"},
                "libraries": ["llvm/lib/Object", "llvm/lib/BinaryFormat"], "link": ["-lLLVM-22"]},
            "llvm-objdump": {
                "folder": "llvm/tools/llvm-objdump", "driver": True, "links": ["llvm-otool"],
                "options": {"ObjdumpOpts.inc": "ObjdumpOpts.td", "OtoolOpts.inc": "OtoolOpts.td"},
                "libraries": ["llvm/lib/Object", "llvm/lib/BinaryFormat"],
                "link": ["-l:libLLVMDebuginfod.a", "-lLLVM-22", "-lcurl"]},
            "llvm-offload-wrapper": {
                "folder": "llvm/tools/llvm-offload-wrapper", "driver": False, "links": [], "options": {},
                "libraries": ["llvm/lib/Frontend/Offloading"], "link": ["-lLLVM-22"]},
            "clang-linker-wrapper": {
                "folder": "clang/tools/clang-linker-wrapper", "driver": False, "links": [],
                "options": {"LinkerWrapperOpts.inc": "LinkerWrapperOpts.td"},
                "libraries": ["llvm/lib/Frontend/Offloading", "llvm/lib/Object"],
                "link": ["-lclang-cpp", "-lLLVM-22"]},
            "clang": {
                "folder": "clang/tools/driver", "driver": True,
                "links": ["clang++", "clang-22", "clang-cl", "clang-cpp"],
                "options": {"Options/Options.inc": "../../include/clang/Options/Options.td"},
                "flags": "-DNDEBUG -frtti -I$tree/clang/include -I$tree/clang/lib/Driver",
                "libraries": ["clang/include", "clang/lib"],
                "users": {
                    "clang/include/clang/Options/Options.td": [
                        "clang/lib/Driver/**/*.cpp", "clang/lib/Options/*.cpp",
                        "clang/lib/Frontend/CompilerInvocation.cpp",
                        "clang/lib/FrontendTool/ExecuteCompilerInvocation.cpp"],
                    "clang/include/clang/Basic/CodeGenOptions.def": ["clang/lib/Basic/CodeGenOptions.cpp"]},
                "archives": "libclang*.a",
                "without": {
                    "clang/include/clang/Options/Options.td": [
                        "libclangDriver.a", "libclangOptions.a", "libclangInterpreter.a", "libclangTooling.a"]},
                "layouts": ["clang/Basic/CodeGenOptions.h", "clang/Basic/LangOptions.h"],
                "link": ["-lLLVM-22", "-lz", "-lzstd"]},
            "lld": {
                "folder": "lld/tools/lld", "driver": True, "links": ["ld.lld"],
                "options": {"Options.inc": "../../ELF/Options.td"},
                "own": "lld/ELF", "always": ["lld/ELF/Driver.cpp", "lld/ELF/DriverUtils.cpp"],
                "includes": ["lld/include", "lld/ELF"],
                "libraries": ["llvm/lib/Object", "llvm/lib/BinaryFormat"],
                "link": ["-llldELF", "-llldCOFF", "-llldMachO", "-llldMinGW", "-llldWasm", "-llldELF",
                         "-llldCommon", "-lLLVM-22", "-lz", "-lzstd"]},
        },
        "suites": [
            {"project": "llvm", "folder": "tools/llvm-readobj", "tools": ["llvm-readobj"]},
            {"project": "llvm", "folder": "tools/llvm-objdump", "tools": ["llvm-objdump"]},
            {"project": "llvm", "folder": "Object", "tools": ["llvm-readobj", "llvm-objdump"]},
            {"project": "llvm", "folder": "tools/llvm-offload-binary", "tools": ["llvm-objdump"]},
            {"project": "llvm", "folder": "tools/llvm-offload-wrapper", "tools": ["llvm-offload-wrapper"]},
            {"project": "clang", "folder": "Driver", "filter": "linker-wrapper|offload|hip-",
             "tools": ["clang-linker-wrapper", "clang"]},
            {"project": "clang", "folder": "CodeGenCUDA", "tools": ["clang"]},
            {"project": "clang", "folder": "CodeGenHIP", "tools": ["clang"]},
            {"project": "lld", "folder": "ELF", "tools": ["lld"]},
        ],
    },
}


def has(release, *tools):
    """Whether there are patches of all of these tools: what needs another is no part of
    the release's check."""
    return set(tools) <= set(release["tools"])
