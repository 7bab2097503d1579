# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares an installed tree with installed.txt, which says what belongs to which product.

  installed.py PREFIX PRODUCT...

Names files of the tree that are of none of these products, and lines of which the
tree has no file; exit status 1 where there are some."""
import fnmatch
import os
import sys


def read_list():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "installed.txt")
    for line in open(path, encoding="utf-8"):
        words = line.split("#")[0].split()
        if words:
            yield words[0].split(","), words[1]


def files_below(prefix):
    for folder, _, names in os.walk(prefix):
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), prefix)


def main(prefix, *products):
    wanted = [pattern for owners, pattern in read_list() if {"any", *products} & set(owners)]
    files = sorted(files_below(prefix))
    problems = ["%s: installed, and of none of %s" % (name, ", ".join(products)) for name in files
                if not any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted)]
    problems += ["%s: not installed" % pattern for pattern in wanted if not fnmatch.filter(files, pattern)]
    for problem in problems:
        print(problem)
    print("%d files, %d wrong" % (len(files), len(problems)))
    return 1 if problems else 0


sys.exit(main(*sys.argv[1:]))
