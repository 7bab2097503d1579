"""Runs the ```sh blocks of a Markdown file as one shell script.

usage: run-blocks.py [--print] FILE.md: the blocks run in the current directory, in
order, with `set -e`, each line echoed, so that FileCheck can look at what they print.
With --print the script is printed instead.
A block fenced as ```text or anything else is not run.
"""
import subprocess
import sys


def sh_blocks(text):
    inside = False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = not inside and line.strip() == "```sh"
        elif inside:
            yield line


def main():
    with open(sys.argv[-1], encoding="utf-8") as file:
        lines = list(sh_blocks(file.read()))
    if not lines:
        sys.exit(sys.argv[-1] + ": no ```sh block")
    script = "set -euxo pipefail\n" + "\n".join(lines) + "\n"
    if sys.argv[1] == "--print":
        print(script, end="")
        return
    sys.exit(subprocess.run(["bash", "-c", script]).returncode)


if __name__ == "__main__":
    main()
