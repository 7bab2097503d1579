"""Every line of Markdown pages has less than 120 columns.

usage: columns.py PAGE_OR_FOLDER...

Two kinds of lines cannot be broken, and may be longer: rows of tables, and what a
program printed (a block that is not fenced as ```sh).
"""
import sys

from links import pages

COLUMNS = 120


def long_lines(path):
    """Number and length of each line that is too long."""
    with open(path, encoding="utf-8") as file:
        fence = None
        for number, line in enumerate(file.read().splitlines(), 1):
            if line.lstrip().startswith("```"):
                fence = line.strip() if fence is None else None
            breakable = fence in (None, "```sh") and not line.lstrip().startswith("|")
            if breakable and len(line) >= COLUMNS:
                yield number, len(line)


def main():
    bad = [(page, number, length) for page in pages(sys.argv[1:]) for number, length in long_lines(page)]
    for page, number, length in bad:
        print("%s:%d: %d columns; break the line before column %d" % (page, number, length, COLUMNS))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
