"""Runs the ```sh blocks of a Markdown file as one shell script.

usage: run-blocks.py [--print] FILE.md: the blocks run in the current directory, in
order, with `set -e`, each line echoed, so that FileCheck can look at what they print.
The first command that fails is named, with its line in the page.
With --print the script is printed instead.
A block fenced as ```cpp NAME, or of another language, is written to the file NAME. One
of ```text, or of anything else alone, is not run.
"""
import os
import shlex
import subprocess
import sys

# In front of the first line of the page, which is a heading: all others keep their numbers.
HEAD = "set -euxo pipefail; trap '{ set +x; } 2>/dev/null; echo %s:$LINENO: error: failed: \"$BASH_COMMAND\" >&2' ERR;"


def sh_blocks(text):
    """A line of the script for each line of the text."""
    block = None
    for line in text.splitlines():
        if not line.startswith("```"):
            yield line if block in ("sh", "file") else ""
        elif block:
            # A file is a here-document that ends as it does in the page.
            yield line if block == "file" else ""
            block = None
        else:
            info = line[3:].split()
            block = "file" if len(info) == 2 else info[0] if info else "text"
            yield "cat > %s <<'```'" % shlex.quote(info[1]) if block == "file" else ""


def main():
    with open(sys.argv[-1], encoding="utf-8") as file:
        lines = list(sh_blocks(file.read()))
    if not any(lines):
        sys.exit(sys.argv[-1] + ": no ```sh block")
    script = HEAD % os.path.basename(sys.argv[-1]) + "\n".join(lines) + "\n"
    if sys.argv[1] == "--print":
        print(script, end="")
        return
    sys.exit(subprocess.run(["bash", "-c", script]).returncode)


if __name__ == "__main__":
    main()
