#!/usr/bin/env python3
"""Checks that the figures of a report add up, and that its page says the same.

    check-report.py REPORT.json PAGE.html [FILE...]

Every byte of FILE, the files that were counted, has to be in one row. The page is
read as a browser does it, by html.parser: what it says in tables without a script,
and the JSON that its script draws, have to be the report; and it must have no
element that it does not always have, whatever names are in it.
"""
import html.parser
import json
import os
import re
import sys

ELEMENTS = (
    "html head meta title style body h1 h2 p div nav ol button span i table thead tbody "
    "tr th td details summary noscript script"
).split()
PART = r"[^_ ,<>(]*[_ ,<>(]|[^_ ,<>(]+\Z"
SUMS = ("code_objects", "size", "stored", "code", "symbols", "debug", "other")


class Page(html.parser.HTMLParser):
    """Rows of tables in <noscript>, and the texts of scripts."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.rows, self.scripts, self.stack = [], [], []

    def handle_starttag(self, tag, attributes):
        assert tag in ELEMENTS, tag
        names = [name for name, _ in attributes]
        assert not any(name in ("src", "href", "style") or name.startswith("on") for name in names), names
        if tag == "meta":
            return
        self.stack.append(tag)
        if tag == "script":
            self.scripts.append("")
        if "noscript" in self.stack and tag == "tr":
            self.rows.append([])
        if "noscript" in self.stack and tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.stack and self.stack.pop() == tag, tag

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "script":
            self.scripts[-1] += data
        if self.stack and "noscript" in self.stack and self.stack[-1] == "td":
            self.rows[-1][-1] += data


def check_sums(report, files):
    shares, total = report["shares"], report["total"]
    for part in SUMS:
        assert total[part] == sum(share[part] for share in shares), part
    assert total["stored"] == report["stored"]
    for share in shares + [total]:
        parts = share["code"] + share["symbols"] + share["debug"] + share["other"]
        assert parts == share["stored"], share
    for share in shares:
        kernels = sum(kernel["stored"] for kernel in share["kernels"])
        assert share["code"] == kernels + share["more_stored"], share
    assert report["host"] == sum(host["size"] for host in report["hosts"])
    rows = report["stored"] + report["host"] + report["containers"] + report["left_out"]
    assert report["file_size"] == rows, (report["file_size"], rows)
    assert report["strippable"] + report["strippable_elsewhere"] <= total["debug"]
    if files:
        sizes = {os.stat(file).st_ino: os.stat(file).st_size for file in files}
        assert report["files"] == len(sizes), (report["files"], len(sizes))
        assert report["file_size"] == sum(sizes.values()), report["file_size"]


def unpack(rows):
    """The report of the data that a page carries, as its script does it."""
    names, last = [], []
    for *items, end in rows.pop("names"):
        parts = []
        for item in items:
            parts += last[len(parts) :][:item] if isinstance(item, int) else re.findall(PART, item)
        last = parts + last[len(last) - end :]
        names.append("".join(last))
    assert names == sorted(set(names)), "names are sorted, and there once"

    def pairs(row, first, second):
        return [{first: names[at], second: number} for at, number in zip(row[::2], row[1::2])]

    for i, row in enumerate(rows["shares"]):
        share = {"target": names[row[0]], "library": names[row[1]], **dict(zip(SUMS, row[2:]))}
        kernels = pairs(row[11:], "name", "stored")
        rows["shares"][i] = {**share, "kernels": kernels, "more_kernels": row[9], "more_stored": row[10]}
    rows["hosts"] = pairs(rows["hosts"], "path", "size")
    rows["duplicates"]["largest"] = [
        {
            "target": names[target],
            **dict(zip(("size", "copies", "saved"), numbers)),
            "libraries": [names[at] for at in libraries],
        }
        for target, *numbers, libraries in ((*row[:4], row[4:]) for row in rows.pop("largest"))
    ]
    return rows


def check_page(report, text):
    for outside in ("http", "//cdn", "@import", "url("):
        assert outside not in text, outside
    page = Page()
    page.feed(text)
    page.close()
    assert not page.stack, page.stack
    assert len(page.scripts) == 2, len(page.scripts)
    assert "<" not in page.scripts[0]
    inside = unpack(json.loads(page.scripts[0]))
    report = {key: value for key, value in report.items() if key != "schema"}
    assert inside == report
    numbers = [[int(cell) for cell in row if cell.isdigit()] for row in page.rows if row]
    for share in report["shares"] + [report["total"]]:
        assert [share[part] for part in SUMS] in numbers, share
    for host in report["hosts"]:
        assert [host["size"]] in numbers, host
    # The largest ones have a row of their own.
    all_sizes = sorted((k["stored"] for s in report["shares"] for k in s["kernels"]), reverse=True)
    least = all_sizes[1000] if len(all_sizes) > 1000 else 0
    for share in report["shares"]:
        for kernel in share["kernels"]:
            assert kernel["stored"] <= least or any(row and row[-1] == str(kernel["stored"]) for row in page.rows), kernel
    return page


def main(report_path, page_path, *files):
    with open(report_path) as file:
        report = json.load(file)
    assert report["schema"] == "kpack.report/1"
    check_sums(report, files)
    with open(page_path, encoding="utf-8") as file:
        check_page(report, file.read())


if __name__ == "__main__":
    main(*sys.argv[1:])
