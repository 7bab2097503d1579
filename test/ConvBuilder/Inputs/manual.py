# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the tables of a page with what conv-builder prints.

usage: manual.py [--write] CONV_BUILDER PAGE.md

A table stands between the lines `<!-- conv-builder VERB --markdown -->` and
`<!-- end -->`. Prints a line for each that differs; exit 1 if there is one, or if there
is no table. With --write the page gets what is printed."""
import re
import subprocess
import sys

TABLE = re.compile(r"(<!-- conv-builder ([a-z]+) --markdown -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)


def main():
    write = sys.argv[1] == "--write"
    tool, page = sys.argv[-2:]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    wrong = []

    def table(match):
        head, verb, old, end = match.groups()
        new = subprocess.run([tool, verb, "--markdown"], check=True, capture_output=True, text=True).stdout
        if old != new:
            wrong.append("%s: the table of %s is not what 'conv-builder %s --markdown' prints; "
                         "write it with %s --write" % (page, verb, verb, sys.argv[0]))
        return head + new + end

    made, count = TABLE.subn(table, text)
    if write:
        with open(page, "w", encoding="utf-8") as file:
            file.write(made)
        return
    print("\n".join(wrong) if wrong else "%d tables" % count)
    sys.exit(bool(wrong) or count == 0)


if __name__ == "__main__":
    main()
