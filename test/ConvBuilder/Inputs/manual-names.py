# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says which names the manual of conv-builder does not have.

usage: manual-names.py CONV_BUILDER SOURCE_TREE

Names are those of `conv-builder fields|ops|layouts|types --json`: each is the first cell
of a row, a field's below the heading of its struct. Ids are those of the array in
Requirements.h. Prints a line for each that is missing, and exits 1 then."""
import json
import re
import subprocess
import sys


def rows(page):
    """Heading -> first cells of the rows below it."""
    found, heading = {}, ""
    for line in page.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("| "):
            found.setdefault(heading, set()).add(line.split(" | ")[0][2:].strip("`"))
    return found


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    tool, tree = sys.argv[1:]

    def document(verb):
        return json.loads(subprocess.run([tool, verb, "--json"], check=True, capture_output=True, text=True).stdout)

    manual = rows(read(tree + "/docs/reference/conv-builder.md"))
    anywhere = set().union(*manual.values())
    fields = document("fields")
    missing = []
    count = 0
    for struct in fields["structs"]:
        for field in struct["fields"]:
            count += 1
            if field["name"] not in manual.get(struct["name"], ()):
                missing.append("conv-builder.md: no row `%s` of %s" % (field["name"], struct["name"]))
    names = [v["name"] for e in fields["enumerations"] for v in e["values"]]
    for verb, member in (("ops", "operations"), ("layouts", "layouts"), ("types", "types")):
        names += [row["name"] for row in document(verb)[member]]
    missing += ["conv-builder.md: no row `%s`" % name for name in names if name not in anywhere]
    table = read(tree + "/include/kpack/ConvBuilder/Requirements.h").split("Requirements[] = {")[1]
    ids = re.findall(r'\{"([SAPR][0-9]+)"', table)
    shown = set().union(*rows(read(tree + "/docs/reference/conv-requirements.md")).values())
    missing += ["conv-requirements.md: no row " + id for id in ids if id not in shown]
    print("\n".join(missing) or "%d fields, %d other names, %d ids: all are in the manual" % (count, len(names), len(ids)))
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
