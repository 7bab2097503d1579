"""Links a program or library of a build once more, as for another layout of the
installed tree, without compiling it again.

usage: relink.py BUILD FILE_IN_BUILD NEW_FILE NEW_SUPPORT_LIBRARY RUNPATH

The layout is compiled into lib/Support/InstallLayout.cpp alone, so that another
libkpackSupport.a is all that a program of another layout differs in.
"""
import re
import subprocess
import sys

build, old, new, support, runpath = sys.argv[1:]
commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", old],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
command = commands.splitlines()[-1]
# What CMake does after the link (links beside it) is for the build tree.
command = re.sub(r"^: && (.*?) && .*$", r"\1", command)
assert " -o %s " % old in command and "lib/libkpackSupport.a" in command, command
command = command.replace(" -o %s " % old, " -o %s " % new)
command = re.sub(r"\S*lib/libkpackSupport\.a", support, command)
command = re.sub(r'-Wl,-rpath,"[^"]*"', '-Wl,-rpath,"%s"' % runpath.replace("$", "\\$"), command)
sys.exit(subprocess.run(["sh", "-c", command], cwd=build).returncode)
