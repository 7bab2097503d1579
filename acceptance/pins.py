# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lists of tests that must pass, a file for each release and GPU.

A line is a program and names of its tests; a name that ends in '*' stands for
all that begin so, '*' alone for all of the program's, and the number behind it
says how many these are:

    rocrand/test_rocrand_basic
      rocrand_basic_tests.* 12
      rocrand_other_tests.one

Such a pattern is written only where every listed test under it passes, so the
file stays short, and a test that is gone, or is new and fails, is noticed.
"""
import os
import re
from bisect import bisect_left

# Where a name may be cut for a pattern: the patterns of two tokens never overlap.
TOKEN = re.compile(r"[^./_]*[./_]?")


class Node:
    def __init__(self):
        self.children = {}
        self.name = None  # of the test that ends here
        self.listed = self.passed = 0


def tree_of(listed, passed):
    """Of the names that passed; the others are only counted where they branch off."""
    root = Node()
    for name in sorted(passed):
        node = root
        for token in filter(None, TOKEN.findall(name)):
            node = node.children.setdefault(token, Node())
            node.passed += 1
        node.name = name
        root.passed += 1
    for name in listed:
        node = root
        node.listed += 1
        for token in TOKEN.finditer(name):
            node = node.children.get(token.group())
            if node is None:
                break
            node.listed += 1
    return root


def shorten(listed, passed):
    """[(name or pattern, number of tests)], in the order of their names."""
    lines = []

    def visit(node, prefix):
        if not node.passed:
            return
        if node.name is not None and node.name in passed and node.listed > 1:
            lines.append((node.name, 1))  # others go on behind it
        if node.listed == 1:
            lines.append((next_name(node), 1))
        elif node.passed == node.listed and node.name is None and prefix[-1:] in ("", ".", "/", "_"):
            lines.append((prefix + "*", node.listed))
        else:
            for token in sorted(node.children):
                visit(node.children[token], prefix + token)

    def next_name(node):
        while node.name is None:
            node = next(iter(node.children.values()))
        return node.name

    visit(tree_of(listed, passed), "")
    return lines


def group_of(test):
    """What GoogleTest calls a test suite: tests of one kind, which cost alike."""
    return test.split(".")[0]


def cheapest(seconds, number, always=lambda test: False):
    """{program: tests}: the number of tests that take least time, in whole groups, so
    that few lines name them; but of each program the cheapest group, and all of the
    tests that are always taken.
    seconds: {program: {test: processor time}} of tests that passed."""
    groups = {}
    for program, tests in seconds.items():
        for test in tests:
            groups.setdefault((program, group_of(test)), []).append(test)
    cost = {key: sum(seconds[key[0]][test] for test in tests) / len(tests)
            for key, tests in groups.items()}
    ordered = sorted(groups, key=lambda key: (cost[key], key))
    first = {}
    for key in ordered:
        first.setdefault(key[0], key)
    of_each = set(first.values()) | {key for key in ordered if any(map(always, groups[key]))}
    chosen, taken = {}, 0
    for key in sorted(ordered, key=lambda key: key not in of_each):  # else in that order
        if key in of_each or taken < number:
            chosen.setdefault(key[0], set()).update(groups[key])
            taken += len(groups[key])
    return chosen


def write(path, programs, head):
    """programs: {"suite/program": [(name or pattern, number)]}."""
    with open(path, "w") as out:
        out.write("".join("# %s\n" % line for line in head))
        for name in sorted(programs):
            if programs[name]:
                out.write(name + "\n")
            for test, count in programs[name]:
                out.write("  %s%s\n" % (test, " %d" % count if test.endswith("*") else ""))


def read(path):
    """{"suite/program": [(name or pattern, number)]}"""
    programs, current = {}, None
    with open(path) as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if not line.startswith(" ") and len(words) == 1:
                current = programs.setdefault(words[0], [])
            elif current is not None and len(words) == 1 + words[0].endswith("*"):
                current.append((words[0], int(words[1]) if len(words) == 2 else 1))
            else:
                raise ValueError("%s:%d: neither a program nor a test" % (path, number))
    return programs


def select(pinned, listed):
    """(tests of listed that are pinned, complaints about pins that listed does not fit)"""
    chosen, complaints = set(), []
    names = set(listed)
    ordered = sorted(listed)
    for name, count in pinned:
        if not name.endswith("*"):
            found = [name] if name in names else []
        else:
            found = with_prefix(ordered, name[:-1])
        chosen.update(found)
        if len(found) < count:
            complaints.append("%s: %d of %d tests are there" % (name, len(found), count))
    return [test for test in listed if test in chosen], complaints


def read_all(folder):
    """{program: (name or pattern, number)} of all lists in a folder."""
    found = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        for program, lines in read(os.path.join(folder, name)).items():
            found.setdefault(program, []).extend(lines)
    return found


def with_prefix(ordered, prefix):
    first = bisect_left(ordered, prefix)
    last = first
    while last < len(ordered) and ordered[last].startswith(prefix):
        last += 1
    return ordered[first:last]
