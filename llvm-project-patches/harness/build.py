# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the tools that a series changes, and nothing else of LLVM: the tool's own
sources, and the touched sources of libraries ahead of Debian's libLLVM, which has all
the rest. A build.ninja is written for that; LLVM's CMake would build its libraries.

It holds as long as a series moves no member, enumerator or virtual function that
libLLVM was compiled with: what it adds to such types, it adds at their end."""
import glob
import os
import shutil

from common import run, say
from source import touched

WARNINGS = ("-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Wcast-qual "
            "-Wno-deprecated-declarations "
            "-Wimplicit-fallthrough -Wcovered-switch-default -Wnon-virtual-dtor "
            "-Wsuggest-override -Wstring-conversion -Wmisleading-indentation -Werror")
FLAGS = ("-std=c++17 -O1 -g0 -fno-rtti -fno-exceptions -ffunction-sections -fdata-sections -D_GNU_SOURCE "
         "-D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS")
RULES = """
cxx = %(ccache)sclang++-%(major)s
prefix = /usr/lib/llvm-%(major)s
tree = %(tree)s
flags = %(flags)s -I. -I$tree/llvm/include -isystem $prefix/include
rule options
  command = $prefix/bin/llvm-tblgen -I $tree/llvm/include -I $prefix/include $
    -gen-opt-parser-defs $in -o $out -d $out.d
  depfile = $out.d
  deps = gcc
  description = options $out
rule compile
  command = $cxx $flags $extra -MD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
  description = compile $in
rule link
  command = clang++-%(major)s -fuse-ld=lld --ld-path=$prefix/bin/ld.lld -Wl,--gc-sections $in -L$prefix/lib $
    -Wl,-rpath,$prefix/lib $libraries -o $out
  description = link $out
"""
MAIN = """#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LLVMDriver.h"

int %(name)s_main(int, char **, const llvm::ToolContext &);

int main(int Count, char **Arguments) {
  llvm::InitLLVM Init(Count, Arguments);
  return %(name)s_main(Count, Arguments, {Arguments[0], nullptr, false});
}
"""


class Build:
    """The tools of a tree with a series in it."""

    def __init__(self, release, tree, folder):
        self.release, self.tree, self.folder = release, tree, folder
        self.lines, self.objects, self.programs = [], {}, []
        self.tests = []
        os.makedirs(folder, exist_ok=True)

    def plan(self, files):
        """What is built where these files are touched: names of tools."""
        for name, tool in self.release["tools"].items():
            # What has a library of its own uses others only where a series changes its own.
            libraries = [tool["own"]] if "own" in tool else tool["libraries"]
            if any(file.startswith(folder + "/") for file in files for folder in [tool["folder"], *libraries]):
                self.programs.append(name)
                self.add_tool(name, tool, files)
        for file in files:
            if file.startswith("llvm/unittests/") and file.endswith(".cpp"):
                self.add_unit_test(file, files)

    def add_object(self, path, extra=""):
        """Each is compiled once, whoever needs it."""
        if path not in self.objects:
            name = os.path.relpath(path, self.tree if path.startswith(self.tree) else self.folder)
            self.objects[path] = "objects/" + name.replace("/", "-") + ".o"
            after = [] if not extra or not extra[1] else ["| " + " ".join(extra[1])]
            self.lines.append(" ".join(["build %s: compile %s" % (self.objects[path], path), *after]))
            if extra:
                self.lines.append("  extra = " + extra[0])
        return self.objects[path]

    def library_objects(self, files, libraries, flags="", tables=()):
        return [self.add_object(os.path.join(self.tree, file), ("%s %s" % (WARNINGS, flags), tables))
                for file in files if file.endswith(".cpp") and
                any(file.startswith(folder + "/") for folder in libraries)]

    def own_sources(self, tool, files):
        """What is compiled of the library that shares its options with the tool."""
        own = tool.get("own")
        touched_ones = [file for file in files if own and file.startswith(own + "/") and file.endswith(".cpp")]
        return [os.path.join(self.tree, file) for file in sorted({*touched_ones, *tool.get("always", [])})]

    def add_tool(self, name, tool, files):
        source = os.path.join(self.tree, tool["folder"])
        tables = []
        for table, options in tool["options"].items():
            tables.append("%s/%s" % (name, table))
            self.lines.append("build %s: options %s/%s" % (tables[-1], source, options))
        folders = [name, source, *[os.path.join(self.tree, folder) for folder in tool.get("includes", [])]]
        flags = " ".join(["-I" + folder for folder in folders] + [tool.get("flags", "")])
        objects = []
        for path in sorted(glob.glob(source + "/*.cpp")) + self.users(tool, files) + self.own_sources(tool, files):
            warnings = WARNINGS if os.path.relpath(path, self.tree) in files else "-w"
            objects.append(self.add_object(path, ("%s %s" % (warnings, flags), tables)))
        if tool["driver"]:
            path = os.path.join(self.folder, name + "-main.cpp")
            write(path, MAIN % {"name": name.replace("-", "_")})
            objects.append(self.add_object(path))
        objects += self.library_objects(files, tool["libraries"], flags, tables)
        self.add_program("bin/" + name, list(dict.fromkeys(objects)), self.archives(tool, files) + tool["link"])

    def users(self, tool, files):
        """Sources of libraries that do not change, but include what does: an option
        that is added gives others new numbers."""
        return sorted(path for header, users in tool.get("users", {}).items() if header in files
                      for user in users for path in glob.glob(os.path.join(self.tree, user), recursive=True))

    def archives(self, tool, files):
        """Static libraries, but those whose every source is compiled here, and those that
        may not be linked since they include the same."""
        if "archives" not in tool:
            return []
        without = [name for header, names in tool["without"].items() if header in files for name in names]
        names = sorted(map(os.path.basename, glob.glob(
            "/usr/lib/llvm-%s/lib/%s" % (self.release["major"], tool["archives"]))))
        return ["-Wl,--start-group", *["-l:" + name for name in names if name not in without],
                "-Wl,--end-group"]

    def add_unit_test(self, file, files):
        """A program of its own, with Debian's GoogleTest."""
        objects = [self.add_object(os.path.join(self.tree, file), ("-w -frtti", []))]
        objects += self.library_objects(files, ["llvm/lib/Object", "llvm/lib/BinaryFormat"])
        name = "unit/" + os.path.basename(file)[:-len(".cpp")]
        self.tests.append(os.path.join(self.folder, name))
        self.add_program(name, objects, ["-lgtest", "-lgtest_main",
                                         "-lLLVM-" + self.release["major"], "-lpthread"])

    def add_program(self, name, objects, libraries):
        self.lines.append("build %s: link %s" % (name, " ".join(objects)))
        self.lines.append("  libraries = " + " ".join(libraries))

    def run(self, jobs):
        write(os.path.join(self.folder, "build.ninja"), RULES % {
            "major": self.release["major"], "tree": self.tree, "flags": FLAGS,
            "ccache": "ccache " if shutil.which("ccache") else ""} + "\n".join(self.lines) + "\n")
        # MachODump.cpp includes it and uses nothing of it.
        write(os.path.join(self.folder, "llvm/Config/config.h"), "")
        write(os.path.join(self.folder, "lld/Common/Version.inc"),
              '#define LLD_VERSION_STRING "%s"\n' % self.release["version"])
        say("building %s" % " ".join([*self.programs, *map(os.path.basename, self.tests)]))
        run(["ninja", "-C", self.folder, "-j", str(jobs), "--quiet"])

    def install(self, folder):
        """A folder whose bin has Debian's tools, and these in the place of theirs. clang
        looks for its headers and for other tools from where it really is, so it is no
        symbolic link."""
        tools, prefix = os.path.join(folder, "bin"), "/usr/lib/llvm-%s" % self.release["major"]
        shutil.rmtree(tools, ignore_errors=True)
        os.makedirs(tools)
        os.makedirs(os.path.join(folder, "lib"), exist_ok=True)
        if not os.path.islink(os.path.join(folder, "lib", "clang")):
            os.symlink(prefix + "/lib/clang", os.path.join(folder, "lib", "clang"))
        for name in os.listdir(prefix + "/bin"):
            os.symlink(os.path.join(prefix, "bin", name), os.path.join(tools, name))
        for name in self.programs:
            for link in [name, *self.release["tools"][name]["links"]]:
                os.remove(os.path.join(tools, link))
                os.link(os.path.join(self.folder, "bin", name), os.path.join(tools, link))


def write(path, text):
    """A file that has this text already keeps its time."""
    if os.path.exists(path):
        with open(path) as file:
            if file.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def build(release, tree, folder, jobs):
    """Builds what the commits since base need."""
    made = Build(release, tree, folder)
    made.plan(touched(tree))
    made.run(jobs)
    return made
