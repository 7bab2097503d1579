"""The list of changes has the form of keepachangelog.com.

usage: changelog.py CHANGELOG.md CMakeLists.txt

What is not released stands first, below it releases with their dates, the newest of
which is the project's version; a section has groups, and only groups have lines.
"""
import re
import sys

GROUPS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def problems(text, version):
    titles = re.findall(r"^## (.*)", text, flags=re.M)
    if titles[:1] != ["Unreleased"]:
        yield "the first section is not 'Unreleased'"
    for title in titles[1:]:
        if not re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d", title):
            yield "'%s' is not 'VERSION - YYYY-MM-DD'" % title
    if titles[1:] and titles[1].split()[0] != version:
        yield "the newest release is not %s, the project's version" % version
    for group in re.findall(r"^### (.*)", text, flags=re.M):
        if group not in GROUPS:
            yield "'%s' is none of the groups %s" % (group, ", ".join(sorted(GROUPS)))
    for line in re.findall(r"^## .*\n+([^#\n].*)", text, flags=re.M):
        yield "'%s' is in no group" % line


def main():
    page, project = sys.argv[1:]
    with open(project, encoding="utf-8") as file:
        version = re.search(r"^project\(kpack VERSION ([\d.]+)", file.read(), flags=re.M).group(1)
    with open(page, encoding="utf-8") as file:
        found = list(problems(file.read(), version))
    for problem in found:
        print("%s: %s" % (page, problem))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
