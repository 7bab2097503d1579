# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a page of conv-builder report against what conv-builder candidates lists.

    page.py PAGE LIST
"""
import html.parser
import json
import re
import sys


class Page(html.parser.HTMLParser):
    """Elements have to be closed; what is loaded from elsewhere is an error."""

    VOID = {"meta", "br", "link", "img", "input"}

    def __init__(self):
        super().__init__()
        self.open, self.data, self.rows, self.cells = [], "", [], None

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            assert name not in ("src", "href"), f"{tag} loads {value}"
        if tag not in self.VOID:
            self.open.append((tag, dict(attributes)))
        if tag == "tr" and any(t == "noscript" for t, _ in self.open):
            self.rows.append([])

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, text):
        tag, attributes = self.open[-1] if self.open else ("", {})
        if attributes.get("id") == "data":
            self.data += text
        elif tag in ("td", "th") and any(t == "noscript" for t, _ in self.open):
            self.rows[-1].append(text)


def main(path, listed):
    text = open(path, encoding="utf-8").read()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, page.open
    for wanted in ("prefers-color-scheme: dark", "not measurements", 'aria-live="polite"', "aria-sort", "onkeydown"):
        assert wanted in text, wanted
    assert not re.search(r"<!--[a-z]+-->|/\*style\*/", text), "a place is empty"
    data = json.loads(page.data)
    algorithms = [line[line.index("{"):] for line in open(listed, encoding="utf-8").read().splitlines()[1:-1]]
    assert [c["text"] for c in data["candidates"]] == algorithms
    assert len(page.rows) == len(algorithms) + 1 and page.rows[1][0] == algorithms[0]
    names = [t["name"] for t in data["terms"]]
    assert page.rows[0] == ["Algorithm", *names, "workspace"]
    assert {"lds", "registers", "occupancy", "total"} <= set(names)
    assert all(len(c["values"]) == len(names) for c in data["candidates"])


main(*sys.argv[1:])
