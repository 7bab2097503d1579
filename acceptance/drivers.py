# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The languages of test programs: how one is asked for its tests, told which of them
to run, and how it says what became of each. GoogleTest is spoken by all of ROCm's
libraries but rocThrust, whose programs have the driver of Thrust's own unit tests.
batch.py runs programs of either.
"""
import re
from typing import Callable, NamedTuple

import pins


LONGEST_ARGUMENT = 120000  # of Linux; it is a little more


class Driver(NamedTuple):
    list_option: str
    parse_list: Callable  # what it prints then -> [test]
    select: Callable  # (tests, those listed, a file to write to) -> arguments
    announced: re.Pattern  # a test begins; group 1 is its name
    in_line: bool  # the line of the announcement goes on when the test has ended
    ended: re.Pattern  # group 1 is the word for how, group 2 the name
    states: dict  # word: state


def parse_google(text):
    """Lines of a group end in '.', those of its tests are indented; the rest is chatter."""
    tests, group = [], None
    for line in text.splitlines():
        name = line.split("#")[0].rstrip()
        if re.fullmatch(r"\S+\.", name):
            group = name
        elif group and re.fullmatch(r"  \S+", name):
            tests.append(group + name.strip())
    return tests


def select_google(tests, listed, file):
    """By patterns if the names are too long for an argument, else in a file: rocBLAS 6.4
    does not look there."""
    chosen = "--gtest_filter=" + ":".join(tests)
    if len(chosen) > LONGEST_ARGUMENT:
        groups = set(map(pins.group_of, tests))
        alike = [test for test in listed if pins.group_of(test) in groups]
        chosen = "--gtest_filter=" + ":".join(
            name for name, _ in pins.shorten(alike, set(tests)))
    if len(chosen) < LONGEST_ARGUMENT:
        return [chosen]
    file.write(chosen + "\n")
    file.flush()
    return ["--gtest_flagfile=" + file.name]


def parse_thrust(text):
    return [line for line in text.splitlines() if re.fullmatch(r"[A-Za-z_]\S*", line)]


def select_thrust(tests, listed, file):
    """Sizes up to 4,096 elements, several blocks of threads."""
    return ["--verbose", "--sizes=medium"] + tests


GOOGLE = Driver(
    "--gtest_list_tests", parse_google, select_google, re.compile(r"\[ RUN      \] (\S+)"), False,
    # "where" stands in front of what a test is made of, which may be several lines.
    re.compile(r"\[(       OK|  FAILED|  SKIPPED) *\] ([^\s,]+)(?:, where | \(\d+ ms\))"),
    {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"})

THRUST = Driver(
    "--list", parse_thrust, select_thrust, re.compile(r"^Running (\S+?)\.\.\."), True,
    re.compile(r"^\[(PASS|FAILURE|KNOWN FAILURE|ERROR|UNKNOWN ERROR)\] +(?:\S+ ms )?(\S+)$"),
    {"PASS": "passed", "FAILURE": "failed", "KNOWN FAILURE": "skipped", "ERROR": "failed",
     "UNKNOWN ERROR": "failed"})
