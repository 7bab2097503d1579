"""Each row of a page's tables names tests, and they are there.

usage: named-tests.py ROOT PAGE...

Looked at are the cells below a heading `test`. In backquotes: `Suite.Case` or `Suite`
of unittests/, `name.test` somewhere below test/, and `scripts/name`, with arguments
behind it. A cell without any, or with one that is not there, is an error.
"""
import os
import re
import sys


def known(root):
    """Suites and cases of unittests/, names of the files below test/."""
    names = set()
    for folder, _, files in os.walk(os.path.join(root, "unittests")):
        for file in files:
            if file.endswith(".cpp"):
                with open(os.path.join(folder, file), encoding="utf-8") as text:
                    for suite, case in re.findall(r"^TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", text.read(), flags=re.M):
                        names.update((suite, suite + "." + case))
    for _, _, files in os.walk(os.path.join(root, "test")):
        names.update(f for f in files if f.endswith(".test"))
    return names


def cells(path):
    """Number of the line and text of each cell below a heading `test`."""
    column = None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            row = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
            if not row:
                column = None
            elif column is None:
                column = row.index("test") if "test" in row else -1
            elif column >= 0 and set(row[0]) != {"-"}:
                yield number, row[column] if column < len(row) else ""


def main():
    root, bad, tests = sys.argv[1], 0, known(sys.argv[1])
    for page in sys.argv[2:]:
        seen = False
        for number, cell in cells(page):
            seen = True
            named = re.findall(r"`([^`]+)`", cell)
            where = "%s:%d" % (page, number)
            if not named:
                print("%s: names no test; name one" % where)
                bad += 1
            for name in named:
                script = name.split()[0] if name.startswith("scripts/") else None
                if name not in tests and not (script and os.path.exists(os.path.join(root, script))):
                    print("%s: %s: no such test; name one that is there" % (where, name))
                    bad += 1
        if not seen:
            print("%s: has no table with a column of tests" % page)
            bad += 1
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
