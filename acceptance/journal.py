# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of the tests of a release on a GPU, on disk as soon as it is known.

A line of JSON for each test that has ended, behind a first line that says what
was tested: a run that is broken off goes on where it was, one of other packages
or of another kpack begins anew.
"""
import json
import os
import threading

from batch import Outcome


def read_outcome(line, judge, outcomes):
    """Adds what a line says of a test; returns the line's entry, {} of one that was cut off
    when the machine went down."""
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    if "test" in entry:
        outcome = judge(entry["program"], Outcome(
            entry["test"], entry["state"], entry["seconds"], entry.get("why", "")))
        outcomes.setdefault(entry["program"], {})[outcome.test] = outcome
    return entry


class Journal:
    """Of one suite. Thread-safe. judge(program, outcome): what is made of an outcome."""

    def __init__(self, path, identity, judge):
        self.lock = threading.Lock()
        self.judge = judge
        self.outcomes = {}  # "suite/program": {test: Outcome}
        self.cpu_seconds = {}
        self.identity = identity
        head = json.dumps({"identity": identity}, sort_keys=True) + "\n"
        lines = []
        if os.path.exists(path):
            with open(path, errors="replace") as file:
                lines = file.readlines()
        if lines and lines[0] == head:
            for line in lines[1:]:
                self.take(line)
            self.file = open(path, "a")
            if not lines[-1].endswith("\n"):
                self.file.write("\n")
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            self.file = open(path, "w")
            self.file.write(head)
            self.file.flush()

    def take(self, line):
        entry = read_outcome(line, self.judge, self.outcomes)
        if "cpu" in entry:
            program = entry["program"]
            self.cpu_seconds[program] = self.cpu_seconds.get(program, 0) + entry["cpu"]

    def write(self, entry):
        with self.lock:
            line = json.dumps(entry)
            self.take(line)
            self.file.write(line + "\n")
            self.file.flush()

    def add(self, program, outcome):
        entry = {"program": program, "test": outcome.test, "state": outcome.state,
                 "seconds": outcome.seconds}
        if outcome.why:
            entry["why"] = outcome.why
        self.write(entry)

    def add_cpu(self, program, seconds):
        self.write({"program": program, "cpu": round(seconds, 2)})

    def forget(self, states):
        """Tests that ended so count as not run."""
        for outcomes in self.outcomes.values():
            for test in [test for test, outcome in outcomes.items() if outcome.state in states]:
                del outcomes[test]


def known_outcomes(path, judge):
    """{"suite/program": {test: Outcome}} of a journal that is only read, whatever kpack it is of."""
    found = {}
    if os.path.exists(path):
        with open(path, errors="replace") as file:
            for line in file:
                read_outcome(line, judge, found)
    return found


class Journals:
    """Of the suites of a release and GPU, found by their programs' names."""

    def __init__(self, folder, identities, judge):
        self.suites = {name: Journal(os.path.join(folder, name + ".journal"), identity, judge)
                       for name, identity in identities.items()}

    def of(self, program):
        return self.suites[program.split("/")[0]]

    def outcomes(self, program):
        """{test: Outcome}"""
        return self.of(program).outcomes.get(program, {})

    def forget(self, states):
        for journal in self.suites.values():
            journal.forget(states)
