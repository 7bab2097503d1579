# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a test program and says of each test, at once, how it ended.

Many tests share a process, because starting ROCm costs more than most tests do.
What the program prints is read while it runs: a test that takes too long, crashes
or ends the process is the one that was announced last, and the tests behind it
are for the next process (run_batch returns them as not run). Time is that of the
process's threads, so that a busy machine makes no test slow; one that has got
none for a while hangs. What programs print is in drivers.py.
"""
import os
import re
import selectors
import signal
import subprocess
import tempfile
import time
from typing import NamedTuple

STILL = 120
KERNEL_FAILED = 70  # kpack-run's exit status where the program's is 0
# What the emulated GPU says of a kernel that it has stopped.
FAULT = re.compile(r"kpack-run: (?:error|warning): .*")
# Of what it lacks; the name in quotes is an instruction, the number an ioctl's.
LACKS = re.compile(r"without semantics|no semantics|not emulated")


class Outcome(NamedTuple):
    """Of one test. why: empty, or the line that says it."""
    test: str
    state: str  # passed failed skipped slow hang crash fault unsupported
    seconds: float  # of processor time
    why: str


class Batch(NamedTuple):
    outcomes: list
    cpu_seconds: float
    at_exit: str  # what went wrong behind the last test; empty: nothing
    cut: str  # why it was ended from here: slow hang slice stopped; empty: it was not


def list_tests(driver, command, environment, limit=600):
    """All tests of a program, in its order. Raises RuntimeError with what it said."""
    run = subprocess.run(command + [driver.list_option], env=environment, text=True,
                         capture_output=True, timeout=limit, errors="replace")
    tests = driver.parse_list(run.stdout)
    # A program that says nothing at all was a test for the compiler.
    if run.returncode or (run.stdout.strip() and not tests):
        raise RuntimeError("%s: lists no tests: exit status %d: %s" % (
            command[-1], run.returncode, last_line(run.stderr or run.stdout)))
    return tests


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it says nothing"


def ticks(process):
    """The processor time of a process and of all that it has started, in clock ticks. Of one
    that ends meanwhile, that of its children is missing until it has been waited for."""
    folder = "/proc/%d/" % process
    with open(folder + "stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    spent = sum(map(int, fields[11:15]))  # its own, and of children that were waited for
    for thread in os.listdir(folder + "task"):
        try:
            with open("%stask/%s/children" % (folder, thread)) as file:
                spent += sum(ticks(int(child)) for child in file.read().split())
        except (OSError, IndexError):
            pass
    return spent


class Clock:
    """The processor time of a program that kpack-run has started, and of its children."""

    def __init__(self, launcher):
        self.launcher, self.child = launcher, None

    def seconds(self):
        """So far, in steps of some 10 ms."""
        try:
            if self.child is None:
                with open("/proc/%d/task/%d/children" % (self.launcher, self.launcher)) as file:
                    self.child = int(file.read().split()[0])
            return ticks(self.child) / os.sysconf("SC_CLK_TCK")
        except (OSError, IndexError, ValueError):
            self.child = None
            return 0.0  # it has not begun, or has ended


class Reader:
    """Keeps what is known of the tests of one process while its output comes in."""

    def __init__(self, driver, clock, on_outcome):
        self.driver, self.clock, self.on_outcome = driver, clock, on_outcome
        self.rest = b""  # of a line that is not whole
        self.current = None
        self.complaint = self.last = ""
        self.ended = 0
        self.mark()

    def mark(self):
        """A test has begun, or has ended."""
        self.began = self.clock.seconds()
        self.moved, self.moved_at = self.began, time.monotonic()

    def spent(self):
        return max(0.0, self.clock.seconds() - self.began)

    def stands_still(self, seconds):
        """Nothing has been computed for a while; a busy machine gives everybody some time."""
        now = self.clock.seconds()
        if now - self.moved > 0.05:
            self.moved, self.moved_at = now, time.monotonic()
        return time.monotonic() - self.moved_at > seconds

    def take(self, data):
        """Of the output, as it comes."""
        *lines, self.rest = re.split(b"[\r\n]", self.rest + data)
        for line in lines:
            self.line(line.decode(errors="replace"))
        if self.driver.in_line and self.driver.announced.search(self.rest.decode(errors="replace")):
            self.line(self.rest.decode(errors="replace"))
            self.rest = b""

    def line(self, text):
        announced, ended = self.driver.announced.search(text), self.driver.ended.search(text)
        if announced:
            self.current, self.complaint = announced.group(1), ""
            self.mark()
            if self.driver.in_line:
                self.line(text[announced.end():])
        elif ended and ended.group(2) == self.current:
            state = self.driver.states[ended.group(1).strip()]
            self.end(state, self.last if state == "failed" else "")
        elif FAULT.search(text):
            # The first is the cause, but for a lack: that explains all.
            if not self.complaint or LACKS.search(text):
                self.complaint = FAULT.search(text).group(0)
        elif text.strip():
            self.last = text.strip()

    def end(self, state, why):
        if self.complaint:
            why = self.complaint
            if LACKS.search(why) and state != "passed":
                state = "unsupported"
            elif "error:" in why:
                state = "fault"
        self.on_outcome(Outcome(self.current, state, round(self.spent(), 2), why[:400]))
        self.current, self.complaint, self.last = None, "", ""
        self.ended += 1
        self.mark()


def start(command, environment, folder):
    """In a group of its own, but of this session: the kernel shares the processor out
    between sessions first, so that one each would take it from all other programs."""
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, process_group=0,
                            cwd=folder)


def end_process(process):
    """Ends it with all that it has started. kpack-run passes the first signal on and
    waits, so that the time of its program counts; the second one leaves nothing."""
    for number, patience in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 60.0)):
        try:
            os.kill(process.pid, number) if number == signal.SIGTERM else os.killpg(
                process.pid, number)
        except ProcessLookupError:
            pass
        until = time.monotonic() + patience
        while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            if time.monotonic() > until:
                break
            time.sleep(0.01)
        else:
            break
    _, status, usage = os.wait4(process.pid, 0)
    try:
        os.killpg(process.pid, signal.SIGKILL)  # what it has left behind
    except ProcessLookupError:
        pass
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    return usage.ru_utime + usage.ru_stime


def run_batch(driver, command, tests, listed, environment, limit, start_limit=600,
              slice_seconds=1e9, on_outcome=None, stopped=lambda: False, folder=None,
              still=STILL):
    """Runs tests in one process until one of them ends it, or slice_seconds are over
    at the end of a test. Tests without an outcome were not run."""
    outcomes = []

    def keep(outcome):
        outcomes.append(outcome)
        if on_outcome:
            on_outcome(outcome)

    with tempfile.NamedTemporaryFile("w", prefix="accept-", suffix=".flags") as flags:
        process = start(command + driver.select(tests, listed, flags), environment, folder)
        reader = Reader(driver, Clock(process.pid), keep)
        cut = watch(process, reader, limit, start_limit, slice_seconds, stopped, still)
        at_exit = ""
        if cut in ("slow", "hang") and reader.current:
            reader.end(cut, reader.last)
        elif cut in ("slow", "hang"):
            at_exit = "%s outside of tests: %s" % (cut, reader.last)
        cpu = end_process(process)
    if reader.current and not cut:
        reader.end("crash", "%s: %s" % (ending(process.returncode), reader.last))
    elif process.returncode == KERNEL_FAILED and any(each.state == "fault" for each in outcomes):
        pass  # said of that test
    elif not cut and process.returncode not in (0, 1):
        at_exit = "%s: %s" % (ending(process.returncode), reader.complaint or reader.last)
    return Batch(outcomes, cpu, at_exit, cut)


def ending(status):
    # kpack-run passes a signal on as a shell does.
    number = -status if status < 0 else status - 128
    try:
        return signal.Signals(number).name
    except ValueError:
        return "exit status %d" % status


def watch(process, reader, limit, start_limit, slice_seconds, stopped, still):
    """Reads to the end of the output: ''. Else why no further: slow hang slice stopped."""
    began = time.monotonic()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            if stopped():
                return "stopped"
            if reader.spent() > (limit if reader.current else start_limit):
                return "slow"
            if reader.stands_still(still):
                return "hang"
            if not reader.current and reader.ended and now - began > slice_seconds:
                return "slice"
            if not selector.select(0.25):
                continue
            data = os.read(process.stdout.fileno(), 1 << 16)
            if not data:
                reader.take(b"\n")
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
                return ""
            reader.take(data)
