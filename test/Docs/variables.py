"""Every environment variable that the programs and libraries read is in the reference.

usage: variables.py PAGE SOURCE_FOLDER...

A variable is a name in capitals, alone in a string literal of C++, that is given to a
function which reads or writes the environment (here or behind a name of its own),
that is in a file with a call of getenv() for names in a list, or that begins as
variables of ours and of ROCm do. PAGE has to name it in backquotes.
"""
import os
import re
import sys

NAME = r"[A-Z][A-Z0-9_]+"
READERS = r"(?:getenv|GetEnv|setenv|unsetenv|variable|flag|number|list|setVariable|putBefore|environment)"
FAMILIES = r"(?:CK_JIT|KPACK|ROCM|HIP|HIPCC|HSA|AITER|XDG)_[A-Z0-9_]+"
# Literals of these families that are no variables.
NO_VARIABLES = {
    "HIP_VERSION_MAJOR", "HIP_VERSION_MINOR",  # in a file of HIP's
}


def variables(folders):
    found = {}
    for folder in folders:
        for where, _, files in os.walk(folder):
            for file in sorted(files):
                if not file.endswith((".cpp", ".h", ".inc", ".c")):
                    continue
                path = os.path.join(where, file)
                with open(path, encoding="utf-8") as source:
                    text = source.read()
                # Names may be in a list that is gone through.
                if re.search(r"getenv\((?!\")", text):
                    for name in re.findall(r"\"([A-Z][A-Z0-9]*_[A-Z0-9_]+|LIBRARY|CPATH)\"", text):
                        found.setdefault(name, path)
                # What a front door of the cache tools has with its own beginning.
                for rest in re.findall(r"\bDoor\.variable\(\s*\"(%s)\"" % NAME, text):
                    found.setdefault("CK_JIT_" + rest, path)
                text = text.replace("Door.variable(", "")
                for pattern in (r"\b%s\(\s*\"(%s)\"" % (READERS, NAME), r"\"(%s)(?:=)?\"" % FAMILIES):
                    for name in re.findall(pattern, text):
                        found.setdefault(name, path)
    return {n: p for n, p in found.items() if n not in NO_VARIABLES}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        named = set(re.findall(NAME, " ".join(re.findall(r"`[^`]*`", file.read()))))
    found = variables(sys.argv[2:])
    missing = sorted(n for n in found if n not in named)
    for name in missing:
        print("%s: read in %s, not in %s" % (name, found[name], sys.argv[1]))
    print("%d variables, %d not documented" % (len(found), len(missing)))
    sys.exit(1 if missing or len(found) < 30 else 0)


if __name__ == "__main__":
    main()
