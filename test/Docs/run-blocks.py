"""Runs the ```sh blocks of a Markdown file as one shell script.

usage: run-blocks.py [--print] FILE.md: the blocks run in the current directory, in
order, with `set -e`, each line echoed, so that FileCheck can look at what they print.
The first command that fails is named, with its line in the page.
With --print the script is printed instead.
A block fenced as ```text or anything else is not run.
"""
import os
import subprocess
import sys

# In front of the first line of the page, which is a heading: all others keep their numbers.
HEAD = "set -euxo pipefail; trap '{ set +x; } 2>/dev/null; echo %s:$LINENO: error: failed: \"$BASH_COMMAND\" >&2' ERR;"


def sh_blocks(text):
    """Each line of the text; those that are not within a block are empty."""
    inside = False
    for line in text.splitlines():
        fence = line.startswith("```")
        if fence:
            inside = not inside and line.strip() == "```sh"
        yield line if inside and not fence else ""


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
