"""The list of changes has the form of keepachangelog.com.

usage: changelog.py CHANGELOG.md CMakeLists.txt

Unreleased changes come first, then releases with their dates, the newest of which is the
project's version. A section has groups, only groups have changes, and a change is one
line. A section may begin with up to ten headlines; the first one does once it is long.
"""
import re
import sys

GROUPS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
HEADLINES = 10
LONG = 3 * HEADLINES


def problems(text, version):
    titles = re.findall(r"^## (.*)", text, flags=re.M)
    if titles[:1] != ["Unreleased"]:
        yield "the first section is not 'Unreleased'"
    for title in titles[1:]:
        if not re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d", title):
            yield "'%s' is not 'VERSION - YYYY-MM-DD'" % title
    if titles[1:] and titles[1].split()[0] != version:
        yield "the newest release is not %s, the project's version" % version
    for number, section in enumerate(re.split(r"^## .*", text, flags=re.M)[1:]):
        headlines = re.match(r"\s*### Headlines\n+((?:- .*\n)*)", section)
        if headlines and headlines.group(1).count("\n") > HEADLINES:
            yield "more than %d headlines" % HEADLINES
        if number == 0 and not headlines and len(re.findall(r"^- ", section, flags=re.M)) > LONG:
            yield "the first section has more than %d changes and does not begin with a group 'Headlines'" % LONG
    for group in re.findall(r"^### (.*)", re.sub(r"^(## .*\n+)### Headlines$", r"\1", text, flags=re.M), flags=re.M):
        if group not in GROUPS:
            yield "'%s' is none of the groups %s" % (group, ", ".join(sorted(GROUPS)))
    for line in re.findall(r"^## .*\n+([^#\n].*)", text, flags=re.M):
        yield "'%s' is in no group" % line
    for line in re.findall(r"^- .*\n(?!- |#)(.*\S.*)", text, flags=re.M):
        yield "'%s' is the second line of a change; shorten it to one line, or make two changes of it" % line.strip()


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
