# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether types of a series are laid out as in the libraries that it is linked with.

Debian's static libraries were compiled with Debian's headers. Where a series moves a
member of a type in them, what is linked runs and reads the wrong one. So each line of
the layout must be there with the series too, at its offset; more lines may be."""
import os
import re

from common import run

MEMBERS = r"^\*\*\* Dumping AST Record Layout\n(.*?)\n\n"


def layouts(release, headers, flags):
    """{name of a type: lines of its layout}, of those in the headers."""
    text = "".join('#include "%s"\n' % header for header in headers)
    types = ["clang::" + os.path.basename(header)[:-len(".h")] for header in headers]
    text += "".join("static_assert(sizeof(%s));\n" % name for name in types)
    prefix = "/usr/lib/llvm-" + release["major"]
    said = run([prefix + "/bin/clang++", "-std=c++17", "-w", "-fsyntax-only", *flags, "-isystem", prefix + "/include",
                "-Xclang", "-fdump-record-layouts", "-x", "c++", "-"], input=text)
    found = {}
    for record in re.findall(MEMBERS, said + "\n", re.MULTILINE | re.DOTALL):
        lines = [line.rstrip() for line in record.splitlines()]
        name = lines[0].split()[-1] if lines else ""
        if name in types:
            found[name] = lines
    return found


def moved(before, after):
    """What is not where it was, as text."""
    wrong = [] if before else ["no layout was found"]
    for name, lines in before.items():
        left = list(after.get(name, []))
        for line in lines:
            if line not in left:
                wrong.append("%s: %s" % (name, line))
                continue
            del left[:left.index(line) + 1]
    return "\n".join(wrong)


def check(release, tool, tree):
    """What the series in the tree has moved."""
    return moved(layouts(release, tool["layouts"], []),
                 layouts(release, tool["layouts"], ["-I" + tree + "/clang/include"]))
