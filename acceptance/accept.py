#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ROCm's own test programs on the emulated GPU. Called by scripts/accept.

A stack is a release of ROCm and a GPU. Its programs are listed, their tests cut
into pieces, and the pieces run on all cores; journal.py keeps what came out.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

import batch
import converted
import known
import own
import pins
import report
import roots
from journal import Journals, known_outcomes
from suites import RELEASES, SUITES

BAD = ("failed", "crash", "fault", "hang")
# Of a program's slice, what tells what its tests cost.
TASTE = 0.2


def suite_of(program):
    return SUITES[program.split("/")[0]]


def build_of(args):
    """Of what stands below the tests: an edit that is not committed makes it another."""
    digest = hashlib.sha256()
    for name in ("bin/kpack-run", "lib/libsoftgpu_kfd.so", "lib/libsoftgpu_driver.so",
                 "lib/libsoftgpu_libraries.so", "lib/libkpack_hip.so"):
        path = os.path.join(args.build, name)
        if not args.launch:
            with open(path, "rb") as file:
                digest.update(file.read())
    if args.converted:
        with open(args.kpack, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


class Stack:
    """A release on a GPU, and the tests of its programs."""

    def __init__(self, args, release, gpu):
        self.release, self.gpu = release, gpu
        self.name = self.original = release + "-" + gpu
        self.root = os.path.join(args.roots, RELEASES[release])
        self.converted = args.converted
        if self.converted:
            self.name += "-converted-" + self.converted
        self.launcher = args.launch or [os.path.join(args.build, "bin", "kpack-run")]
        # What is compiled from this tree is not fat.
        self.suites = {name: SUITES[name] for name in args.suite
                       if release in SUITES[name].packages
                       and gpu in (SUITES[name].only or [gpu])
                       and not (self.converted and not SUITES[name].packages[release])}
        self.programs = {}  # "suite/program": path
        self.listed = {}  # "suite/program": all its tests
        self.chosen = {}  # those to be run
        self.lists = os.path.join(args.out, "lists", release)
        self.installed = {}  # package: version
        self.own = None  # what our own programs are made from

    def convert(self, args):
        """From here on its root is that of converted files."""
        programs = [os.path.relpath(path, self.root) for suite in self.suites.values()
                    for path in roots.programs(
                        self.root, suite.packages[self.release], suite.programs).values()]
        self.root = converted.make(
            self.root, os.path.join(args.out, "converted", self.release, self.converted),
            args.kpack, converted.names_of_fat(self.root, programs), self.converted)

    def find_programs(self, args):
        self.installed = roots.installed(self.root)
        for name, suite in self.suites.items():
            package = suite.packages[self.release]
            found = (roots.programs(self.root, package, suite.programs) if package
                     else self.own_programs(args))
            if not found:
                sys.exit("accept: error: %s: no test programs of %s below it" % (
                    self.root, package))
            self.programs.update({"%s/%s" % (name, program): path
                                  for program, path in found.items()})

    def own_programs(self, args):
        """Where the ROCm does not know the GPU, only the one that expects to hear that."""
        folder, self.own = own.build(args.source, args.build, args.out)
        known = subprocess.run(self.launcher + ["--rocm=" + self.root, "--version"], text=True,
                               capture_output=True).stdout.split()
        found = own.programs(folder)
        return found if self.gpu in known else {own.COMMANDS: found[own.COMMANDS]}

    def command(self, program):
        gpus = ",".join([self.gpu] * suite_of(program).gpus)
        below = self.launcher + ["--rocm=" + self.root, "--gpu=" + gpus, "--threads=1",
                                 "--out-of-bounds=hardware", "--"]
        path = self.programs[program]
        if os.path.basename(path) == own.COMMANDS:
            return ["env", "ACCEPT_RUN=" + shlex.join(below), path]
        return below + [path]

    def environment(self, program):
        """Libraries of the tests' own are found beside them, as the packages' run-tests does it."""
        suite = suite_of(program)
        beside = ({"LD_LIBRARY_PATH": os.path.dirname(self.programs[program])}
                  if suite.packages[self.release] else {})
        return {**environment(), **suite.environment, **beside}

    def version(self, suite):
        """What the list of a suite's tests depends on."""
        package = suite.packages[self.release]
        return self.installed.get(package, "0") if package else self.own

    def identities(self, args):
        """{suite: what is tested}"""
        below = ["libamdhip64-5", "libamdhip64-6", "libamdhip64-7", "libhsa-runtime64-1"]
        found, build = {}, build_of(args)
        for name, suite in self.suites.items():
            package = suite.packages[self.release]
            found[name] = {"kpack": args.version, "build": build, "packages": {
                each: self.installed[each] for each in below + [package]
                if each in self.installed}}
            if not package:
                found[name]["sources"] = self.own
        return found

    def list_program(self, program):
        """The tests of a program, from an earlier run if there was one.

        A list depends on packages and on the GPU: rocSPARSE and rocBLAS leave tests out by it."""
        version = self.version(suite_of(program))
        name = "%s-%s-%s" % (program, re.sub(r"[^\w.+-]", "_", version), self.gpu)
        path = os.path.join(self.lists, name)
        if os.path.exists(path):
            with open(path) as file:
                return file.read().split()
        tests = batch.list_tests(suite_of(program).driver, self.command(program),
                                 self.environment(program))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "w") as file:
            file.write("\n".join(tests) + "\n")
        os.replace(path + ".new", path)
        return tests

    def to_pin(self, suite):
        """How many of a suite's tests."""
        return self.suites[suite].to_pin(sum(
            len(tests) for program, tests in self.listed.items() if program.split("/")[0] == suite))

    def first(self, program):
        """A function of a test's name: is it to be run before the others?"""
        return selector(suite_of(program).first)

    def judge(self, program, outcome):
        return known.judge(self.release, self.gpu, program, outcome)

    def is_known(self, program, test):
        """Whether it fails for a reason that is known, though perhaps not always."""
        return bool(known.find(self.release, self.gpu, program, test))

    def choose(self, program, tests):
        wanted = selector(suite_of(program).filter)
        return [test for test in tests if wanted(test)
                and not re.search(r"(^|[./])DISABLED_", test)]


def selector(select):
    """A function of a test's name. As GoogleTest's filters: patterns, then '-' and
    patterns of what is left out. Lists have more than a million names."""
    def any_of(patterns):
        return re.compile("|".join(map(fnmatch.translate, patterns.split(":")))).match

    wanted, _, unwanted = select.partition("-")
    good, bad = any_of(wanted), any_of(unwanted) if unwanted else None
    return lambda test: good(test) and not (bad and bad(test))


def environment():
    kept = {name: value for name, value in os.environ.items()
            if name in ("PATH", "HOME", "TMPDIR", "LANG")}
    # Allocations are parts of larger ones, as on hardware: some tests read past the end.
    # rocBLAS says of a test that it has passed only if it is told to.
    return {**kept, "LC_ALL": "C.UTF-8", "HSA_DISABLE_FRAGMENT_ALLOCATOR": "0",
            "GTEST_LISTENER": "PASS_LINE_IN_LOG"}


class Run:
    """The pieces of one stack, and who works on them."""

    def __init__(self, args, stack, journals):
        self.args, self.stack, self.journals = args, stack, journals
        self.lock = threading.Lock()
        self.stop = threading.Event()
        self.deadline = time.monotonic() + args.budget * 60 if args.budget else None
        self.pieces = collections.deque()
        self.total = self.done = 0
        self.counts = collections.Counter()
        self.passed = collections.Counter()  # fast enough to be pinned; of a suite or program
        self.turns = collections.deque(stack.suites)
        self.ended = collections.Counter()  # of a program
        self.seconds = collections.Counter()
        self.goals = {suite: stack.to_pin(suite) for suite in stack.suites} if args.enough else {}
        self.said = time.monotonic()

    def over(self):
        return self.stop.is_set() or (self.deadline and time.monotonic() > self.deadline)

    def enough(self, program):
        """As many tests of its suite have passed as are to be pinned; of its own one, if
        it is not a program whose tests are all too slow."""
        suite = program.split("/")[0]
        return (self.passed[suite] >= self.goals.get(suite, math.inf)
                and (self.passed[program] or self.ended[program] >= 3))

    def count(self, program, outcome):
        self.ended[program] += 1
        self.seconds[program] += outcome.seconds
        if outcome.state == "passed" and outcome.seconds <= self.args.pin_limit:
            self.passed.update([program, program.split("/")[0]])

    def plan(self):
        """Pieces of all programs in turn, so that a short budget sees each of them. What
        is pinned for any GPU comes first, because those are the cheap ones."""
        pinned = pins.read_all(self.args.pins)
        columns = []
        for program, tests in self.stack.chosen.items():
            ended = self.journals.outcomes(program)
            for outcome in ended.values():
                self.count(program, outcome)
            first = self.stack.first(program)
            known_cheap = set(pins.select(pinned.get(program, []), tests)[0])
            left = sorted((test for test in tests if test not in ended),
                          key=lambda test: (not first(test), test not in known_cheap))
            piece = suite_of(program).piece
            self.total += len(left)
            columns.append([(program, left[at:at + piece]) for at in range(0, len(left), piece)])
        for row in range(max(map(len, columns), default=0)):
            self.pieces.extend(column[row] for column in columns if row < len(column))

    def work(self):
        while not self.over():
            with self.lock:
                if not self.pieces:
                    return
                program, tests = self.next_piece()
            left = [] if self.enough(program) else self.run_piece(program, tests)
            if left:
                with self.lock:
                    self.pieces.append((program, left))

    def next_piece(self):
        """The next in turn, or if only the cheap ones matter, of the suite whose turn it
        is the program whose tests took least time so far."""
        if not self.args.enough:
            return self.pieces.popleft()
        of_suite = []
        while not of_suite:
            self.turns.rotate(-1)
            of_suite = [piece for piece in self.pieces if piece[0].split("/")[0] == self.turns[0]]
        best = min(of_suite, key=lambda piece: (
            self.seconds[piece[0]] / max(self.ended[piece[0]], 1)))
        self.pieces.remove(best)
        return best

    def slice_of(self, program):
        """Seconds; programs that take long to begin have long slices, and go on."""
        whole = suite_of(program).slice
        return whole * TASTE if self.args.enough and not self.ended[program] and whole < 60 else whole

    def run_piece(self, program, tests):
        """What of it was not run."""
        def keep(outcome):
            self.journals.of(program).add(program, outcome)
            judged = self.stack.judge(program, outcome)
            with self.lock:
                self.count(program, judged)
            self.progress(program, judged)

        suite = suite_of(program)
        with tempfile.TemporaryDirectory(prefix="accept-") as scratch:
            run = batch.run_batch(
                suite.driver, self.stack.command(program), tests, self.stack.listed[program],
                # rocFFT keeps what it has compiled below HOME.
                {**self.stack.environment(program), "TMPDIR": scratch, "HOME": scratch},
                self.args.limit or suite.limit, slice_seconds=self.slice_of(program),
                on_outcome=keep, stopped=lambda: self.over() or self.enough(program),
                folder=scratch, still=self.args.still)
        self.journals.of(program).add_cpu(program, run.cpu_seconds)
        ended = {outcome.test for outcome in run.outcomes}
        if run.at_exit and not ended:
            keep(batch.Outcome(tests[0], "crash", 0.0, "before the first test: " + run.at_exit))
            ended.add(tests[0])
        elif run.at_exit:
            keep(batch.Outcome("(exit)", "crash", 0.0, run.at_exit))
        elif not run.cut and not ended:
            keep(batch.Outcome(tests[0], "crash", 0.0, "the program did not run it"))
            ended.add(tests[0])
        return [] if self.enough(program) else [test for test in tests if test not in ended]

    def progress(self, program, outcome):
        with self.lock:
            self.done += 1
            self.counts[outcome.state] += 1
            line = "[%d/%d] %s: %s" % (self.done, self.total, self.stack.name, ", ".join(
                "%d %s" % (count, state) for state, count in self.counts.most_common()))
            if outcome.state in BAD + ("unsupported", "defect"):
                self.clear()
                print("%s: %s %s: %s" % (outcome.state, program, outcome.test, outcome.why),
                      flush=True)
            if sys.stdout.isatty():
                self.clear()
                print(line[:100], end="", flush=True)
            elif time.monotonic() - self.said > 30:
                self.said = time.monotonic()
                print(line, flush=True)

    def clear(self):
        if sys.stdout.isatty():
            print("\r\033[K", end="")

    def all(self):
        """False: it was interrupted. What goes wrong in a worker ends the others, too."""
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            workers = [pool.submit(self.work) for _ in range(self.args.jobs)]
            try:
                for worker in workers:
                    worker.result()
            except KeyboardInterrupt:
                return False
            finally:
                self.stop.set()
                self.clear()
        return True


def list_all(stack, jobs):
    """Programs that list nothing are said, and are failures of their own."""
    broken = {}

    def list_one(program):
        try:
            stack.listed[program] = stack.list_program(program)
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as problem:
            broken[program] = str(problem)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(list_one, stack.programs))
    return broken


def read_pins(stack, path):
    """{program: its pinned tests} of the suites that are to run."""
    try:
        pinned = pins.read(path)
    except FileNotFoundError:
        sys.exit("accept: error: %s: no such file; scripts/accept --pin writes it" % path)
    except (OSError, ValueError) as problem:
        sys.exit("accept: error: %s" % problem)
    return {program: tests for program, tests in pinned.items()
            if program.split("/")[0] in stack.suites}


def choose_pinned(stack, pinned):
    """Only what is pinned; returns complaints."""
    complaints = []
    for program, tests in pinned.items():
        if program not in stack.programs:
            complaints.append("%s: there is no such program" % program)
            continue
        stack.chosen[program], missing = pins.select(tests, stack.listed.get(program, []))
        complaints += ["%s: %s" % (program, text) for text in missing]
    return complaints


def compare(args, stack, journals):
    """With what is known of the original: complaints about tests that end otherwise."""
    original = {name: known_outcomes(os.path.join(args.out, stack.original, name + ".journal"), stack.judge)
                for name in stack.suites}
    same, others = converted.compare(
        stack.chosen, lambda program: original[program.split("/")[0]].get(program, {}), journals.outcomes)
    roots.say("%s: %d tests end as those of the original, %d do not" % (stack.name, same, len(others)))
    return ["%s %s: %s, and %s once converted" % each for each in others]


def run_stack(args, release, gpu, results):
    """(passed, failed)"""
    stack = Stack(args, release, gpu)
    if not stack.suites:
        return 0, 0  # this release has none of them
    if not args.launch:
        roots.prepare(stack.root, release, list(stack.suites.values()))
    if stack.converted:
        stack.convert(args)
    stack.find_programs(args)
    pin_file = os.path.join(args.pins, stack.original + ".txt")
    if args.pinned:
        pinned = read_pins(stack, pin_file)
        stack.programs = {name: path for name, path in stack.programs.items() if name in pinned}
    broken = list_all(stack, args.jobs)
    complaints = ["%s: %s" % item for item in sorted(broken.items())]
    if args.pinned:
        complaints += choose_pinned(stack, pinned)
    else:
        stack.chosen = {program: stack.choose(program, tests)
                        for program, tests in sorted(stack.listed.items())}
    journals = Journals(os.path.join(args.out, stack.name), stack.identities(args), stack.judge)
    journals.forget(args.again)
    run = Run(args, stack, journals)
    run.plan()
    roots.say("%s: %d of %d tests in %d programs, %d known" % (
        stack.name, sum(map(len, stack.chosen.values())), sum(map(len, stack.listed.values())),
        len(stack.chosen), sum(map(len, stack.chosen.values())) - run.total))
    whole = run.all()
    found = report.of_stack(stack, journals, broken, args.limit)
    found["converted"] = stack.converted
    found["suites"] = {**results.get(stack.name, {}).get("suites", {}), **found["suites"]}
    results[stack.name] = found
    if stack.converted:
        complaints += compare(args, stack, journals)
    for complaint in complaints:
        print("failed: " + complaint)
    if args.pin:
        report.write_pins(stack, journals, pin_file, args.pin_limit)
    counts = report.states(stack.chosen, journals)
    passed, failed = counts["passed"], sum(counts[state] for state in BAD) + len(complaints)
    if args.pinned:  # all else than passed is a failure
        failed = sum(counts.values()) - passed + len(complaints)
    roots.say("%s: %s" % (stack.name, ", ".join("%d %s" % (counts[state], state)
                                               for state in report.STATES if counts[state])))
    if not whole:
        raise KeyboardInterrupt
    return passed, failed


def names(allowed):
    def parse(text):
        found = text.split(",")
        for name in found:
            if allowed and name not in allowed:
                raise argparse.ArgumentTypeError("%s: not one of %s" % (name, ", ".join(allowed)))
        return found
    return parse


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/accept", description="Runs ROCm's own tests, and ours of HIP, on the emulated GPU.")
    parser.add_argument("--rocm", type=names(RELEASES), default=roots.releases(),
                        help="releases; default here: " + ",".join(roots.releases()))
    parser.add_argument("--gpu", type=names(None), default=["gfx90a", "gfx1030", "gfx1100"],
                        help="default: gfx90a,gfx1030,gfx1100")
    parser.add_argument("--suite", type=names(SUITES), default=list(SUITES),
                        help="default: " + ",".join(SUITES))
    parser.add_argument("--budget", type=float, metavar="MINUTES", help="for each stack")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="for each test")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    parser.add_argument("--pinned", action="store_true",
                        help="only the tests that must pass (acceptance/pinned)")
    parser.add_argument("--pin", action="store_true", help="write what passed to acceptance/pinned")
    parser.add_argument("--enough", action="store_true",
                        help="no more of a suite than is to be pinned")
    parser.add_argument("--pin-limit", type=float, default=3.0, metavar="SECONDS",
                        help="slower tests are not pinned; default: 3")
    parser.add_argument("--again", type=names(report.STATES), default=[], metavar="STATES",
                        help="run again what ended so: slow,crash,...")
    parser.add_argument("--converted", nargs="?", const="kpack", choices=("kpack", *converted.TOOLS), metavar="TOOL",
                        help="programs and libraries that kpack convert has made host-only, and compare with what "
                             "is known of the originals; TOOL: once it has changed them: "
                             + ", ".join(converted.TOOLS))
    parser.add_argument("--roots", metavar="FOLDER", help="where the Debians are, or are made")
    parser.add_argument("--page", action="store_true",
                        help="write docs/evidence/acceptance.md, run nothing")
    for hidden in ("--build", "--source", "--out", "--pins", "--version"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--launch", action="append", help=argparse.SUPPRESS)
    parser.add_argument("--still", type=float, default=batch.STILL, help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)  # programs run elsewhere
    args.kpack = os.path.join(args.build, "bin", "kpack")
    args.out = os.path.abspath(args.out or os.path.join(args.build, "acceptance"))
    args.roots = os.path.abspath(args.roots or os.path.join(args.out, "roots"))
    args.pins = args.pins or os.path.join(args.source, "acceptance", "pinned")
    return args


def main():
    args = arguments()
    result_path = os.path.join(args.out, "results.json")
    os.makedirs(args.out, exist_ok=True)
    results = report.load(result_path)
    if args.page:
        date = time.strftime("%Y-%m-%d", time.localtime(os.path.getmtime(result_path) if results else None))
        report.write_page(results, os.path.join(args.source, "docs", "evidence", "acceptance.md"), date)
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    passed = failed = 0
    try:
        for release in args.rocm:
            for gpu in args.gpu:
                good, bad = run_stack(args, release, gpu, results)
                passed, failed = passed + good, failed + bad
                report.save(result_path, results)
    except KeyboardInterrupt:
        report.save(result_path, results)
        print("accept: interrupted; the same command goes on here")
        return 130
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
