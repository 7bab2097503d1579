"""Every relative link of Markdown pages leads to a file, and to a heading in it.

usage: links.py PAGE_OR_FOLDER... [--installed]

--installed: links out of the documentation (to sources, tests, examples) may lead
nowhere: an installed tree has the pages alone.
"""
import os
import re
import sys


def pages(names):
    for name in names:
        if os.path.isdir(name):
            for folder, _, files in os.walk(name):
                yield from (os.path.join(folder, f) for f in sorted(files) if f.endswith(".md"))
        else:
            yield name


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)


def anchors(path):
    """As GitHub names headings."""
    with open(path, encoding="utf-8") as file:
        headings = re.findall(r"^#+ (.*)$", without_code(file.read()), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def main():
    installed = "--installed" in sys.argv
    names = [n for n in sys.argv[1:] if n != "--installed"]
    bad = links = 0
    for page in pages(names):
        with open(page, encoding="utf-8") as file:
            text = without_code(file.read())
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "``", text)):
            if re.match(r"[a-z]+:", target):
                continue
            links += 1
            name, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
            if not os.path.exists(path):
                if installed and re.match(r"(\.\./)*(test|examples|include|lib|scripts|unittests|ARCHITECTURE|CONTRIBUTING)", target):
                    continue
                print("%s: %s: no such file" % (page, target))
                bad += 1
            elif anchor and path.endswith(".md") and anchor not in anchors(path):
                print("%s: %s: no such heading" % (page, target))
                bad += 1
    print("%d links, %d bad" % (links, bad))
    sys.exit(1 if bad or not links else 0)


if __name__ == "__main__":
    main()
