# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every file of the source tree says whose it is and under which licence.

usage: check-licences.py SOURCE_TREE EMPTY_FOLDER

Copies what git has of the tree to EMPTY_FOLDER, puts what REUSE.toml says there
also as .reuse/dep5, which is all that Debian 12's `reuse` knows, and runs
`reuse lint`. Code must have the line itself, REUSE.toml or not.
"""
import os
import subprocess
import sys
import tomllib

LICENCE = "SPDX-" "License-Identifier: Apache-2.0 WITH LLVM-exception"
CODE = (".cpp", ".h", ".c", ".css", ".def", ".inc", ".td", ".map", ".py", ".sh", ".cmake",
        ".hip", ".toml")


def tracked(source):
    if os.path.exists(os.path.join(source, ".git")):
        git = ["git", "-c", "safe.directory=" + source, "-C", source, "ls-files", "-z"]
        listed = subprocess.run(git, stdout=subprocess.PIPE, check=True)
        return [n for n in listed.stdout.decode().split("\0")
                if n and os.path.exists(os.path.join(source, n))]
    # Not a checkout but a release tarball.
    names = []
    for folder, folders, files in os.walk(source):
        folders[:] = [f for f in folders if not f.startswith(("build", ".git"))]
        names += [os.path.relpath(os.path.join(folder, f), source) for f in files]
    return names


def is_code(source, name):
    if name.startswith("test/"):
        return False
    if name.endswith(CODE) or name.startswith("scripts/"):
        return True
    if os.path.basename(name) == "CMakeLists.txt":
        return True
    with open(os.path.join(source, name), "rb") as file:
        return file.read(2) == b"#!"


def head(source, name):
    with open(os.path.join(source, name), encoding="utf-8") as file:
        return "".join(file.readline() for _ in range(12))


def write_dep5(toml, path):
    with open(toml, "rb") as file:
        annotations = tomllib.load(file)["annotations"]
    paragraphs = ["Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"]
    # The last paragraph that fits counts, as in REUSE.toml; there the first one
    # is about all files and names no licence.
    for entry in annotations:
        if "SPDX-License-Identifier" not in entry:
            continue
        globs = entry["path"] if isinstance(entry["path"], list) else [entry["path"]]
        paragraphs.append("Files: %s\nCopyright: %s\nLicense: %s" % (
            " ".join(g.replace("**", "*") for g in globs),
            entry["SPDX-FileCopyrightText"], entry["SPDX-License-Identifier"]))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n\n".join(paragraphs) + "\n")


def main():
    source, copy = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    names = tracked(source)
    without = [n for n in names if is_code(source, n) and LICENCE not in head(source, n)]
    for name in without:
        print("%s: no line '%s' at its beginning" % (name, LICENCE))
    for name in names:
        target = os.path.join(copy, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(os.path.join(source, name), "rb") as file:
            content = file.read()
        # What REUSE.toml says of all files; .reuse/dep5 can only say it with a licence.
        if is_code(source, name):
            content = b"# SPDX-FileCopyrightText: The kpack authors\n" + content
        with open(target, "wb") as file:
            file.write(content)
    write_dep5(os.path.join(source, "REUSE.toml"), os.path.join(copy, ".reuse", "dep5"))
    lint = subprocess.run(["reuse", "--root", copy, "lint"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    print(lint.stdout, end="")
    print("%d files" % len(names))
    sys.exit(1 if without or lint.returncode else 0)


if __name__ == "__main__":
    main()
