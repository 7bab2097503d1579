"""Paths, files and functions that pages for readers of the code name are there.

usage: names.py ROOT PAGE...

Of words in backquotes: a path below one of the tree's folders; a file `Name.cpp`,
which some folder of the code has; a name of the code, which has a capital within it
or is qualified (`Store::publish`), each part of which the code has. A place holder
(`lib/Tool/Commands/<Verb>.cpp`), a name with `#` (of a code object) and what begins with two
underscores (clang's) are left alone.
"""
import os
import re
import sys

FOLDERS = "benchmarks cmake docs examples fuzz include lib scripts test tools unittests".split()
CODE = ("include", "lib", "tools")


def code(root):
    """Names of files and all words of the code, comments left out."""
    files, words = set(), set()
    for top in CODE:
        for folder, _, names in os.walk(os.path.join(root, top)):
            files.update(names)
            for name in names:
                if name.endswith((".cpp", ".h", ".inc")):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        words.update(re.findall(r"\w+", re.sub(r"//.*", "", file.read())))
    return files, words


def is_there(name, root, files, words):
    if name.split("/")[0] in FOLDERS and "/" in name:
        return os.path.exists(os.path.join(root, name))
    if re.fullmatch(r"\w+\.(cpp|h|td)", name):
        return name in files
    if re.fullmatch(r"kpack(::\w+)+|[A-Z]\w*(::\w+)+|\w*[a-z][A-Z]\w*", name):
        return all(part in words for part in name.split("::"))
    return True


def main():
    root, named, bad = sys.argv[1], 0, 0
    files, words = code(root)
    for page in sys.argv[2:]:
        with open(page, encoding="utf-8") as file:
            text = re.sub(r"^```.*?^```", "", file.read(), flags=re.S | re.M)
        for name in dict.fromkeys(re.findall(r"`((?!__)[^`\s<>*#]+)`", text)):
            named += 1
            if not is_there(name, root, files, words):
                print("%s: `%s`: not in the code; name what is there" % (page, name))
                bad += 1
    sys.exit(1 if bad or not named else 0)


if __name__ == "__main__":
    main()
