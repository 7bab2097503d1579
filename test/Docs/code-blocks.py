"""Makes a source of the code that a page shows, so that a compiler can look at it.

usage: code-blocks.py LANGUAGE PAGE

Each block fenced as ```LANGUAGE becomes a function. Out of it go, in their order, what
stands outside of functions: directives, `using`, templates, structures, macros and
whole functions. What the page takes for granted (`fail()`, variables) the test has in a
header that it includes first.
"""
import re
import sys

OUTSIDE = re.compile(r"#|using |template|struct |KPACK_|[\w:]+ \w+\(.*\) \{$")


def split(block):
    """The lines that stand outside of functions, and the others."""
    outside, inside, is_open = [], [], False
    for line in block.splitlines():
        # Raw strings hold code of their own.
        if not is_open and not OUTSIDE.match(line):
            inside.append(line)
            continue
        outside.append(line)
        if not is_open:
            is_open = re.sub(r"\s*//.*", "", line).endswith("{")
        elif re.match(r"\};?$", line):
            is_open = False
    return outside, inside


def main():
    language = sys.argv[1]
    with open(sys.argv[2], encoding="utf-8") as page:
        blocks = re.findall(r"^```%s\n(.*?)^```" % language, page.read(), flags=re.S | re.M)
    if not blocks:
        sys.exit("%s: no block of %s" % (sys.argv[2], language))
    for number, block in enumerate(blocks, 1):
        outside, inside = split(re.sub(r'R"\((.*?)\)"', lambda m: '""' + "\n" * m[1].count("\n"), block, flags=re.S))
        print("\n".join(outside))
        if any(inside):
            print("int block_%d(void) {\n%s\nreturn 0;\n}" % (number, "\n".join(inside)))


if __name__ == "__main__":
    main()
