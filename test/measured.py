# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats of lit that say how many processor seconds tests took: a line each, SECONDS
and NAME, at the end of the file that KPACK_TEST_CPU names; of unit tests one for what
lit starts at once. Unlike minutes, these are about the same on a busy machine.

Counted is every process below a test, also those that it does not wait for, such as
kpack-jit-compile --serve: the process of lit is their parent once they have no other,
and waits for them as init would.

The formats also start tests first that times.txt, beside this file, says are slow, so
that a run does not end with one long test on one core. lit itself knows only how long
tests took when they last ran in the same build tree."""
import ctypes
import os
import pickle
import re
import resource
import signal
import tempfile
import traceback

import lit.formats

PR_SET_CHILD_SUBREAPER = 36
# What ends with a test has a second to do so; what does not is not counted.
PATIENCE = 1
# PROGRAM/INDEX/SHARDS, as lit calls a part of a program of unit tests.
SHARD = re.compile(r"(.*)/\d+/(\d+)$")


def read_times(path):
    """Reads lines of SECONDS NAME; a line that begins with # is a comment."""
    if not os.path.isfile(path):
        return {}
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(" ", 1) for line in file if line.strip() and not line.startswith("#")]
    return {name: float(seconds) for seconds, name in lines}


EXPECTED = read_times(os.path.join(os.path.dirname(os.path.abspath(__file__)), "times.txt"))


def expected_seconds(name):
    return EXPECTED.get(name, 0)


def expected_shard_seconds(name):
    """Returns a share of the program's seconds, but not less than its slowest test's: which
    shard has that one depends on how many shards there are, and so on the machine."""
    shard = SHARD.match(name)
    program, shards = shard.groups() if shard else (name, 1)
    slowest = max((seconds for test, seconds in EXPECTED.items() if test.startswith(program + "/")), default=0)
    return max(EXPECTED.get(program, 0) / int(shards), slowest)


def of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wait_for_rest():
    def give_up(*_):
        raise TimeoutError
    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        while True:
            os.wait()
    except (ChildProcessError, TimeoutError):
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Measured:
    def getTestsInDirectory(self, *arguments):
        for test in super().getTestsInDirectory(*arguments):
            # lit starts the largest first.
            test.previous_elapsed = max(test.previous_elapsed, self.expected(test.getFullName()))
            yield test

    def execute(self, test, lit_config):
        path = os.environ.get("KPACK_TEST_CPU")
        if not path:
            return super().execute(test, lit_config)
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        before = of_children()
        with tempfile.TemporaryFile() as answer:
            child = os.fork()
            if child == 0:
                self.answer(test, lit_config, answer)
            while os.wait()[0] != child:
                pass
            wait_for_rest()
            answer.seek(0)
            result, known = pickle.load(answer)
        vars(test).update(known)
        with open(path, "a", encoding="utf-8") as file:
            file.write("%.2f %s\n" % (of_children() - before, test.getFullName()))
        return result

    def answer(self, test, lit_config, to):
        """In a process of its own, whose children are those that it waits for."""
        try:
            result = super().execute(test, lit_config)
            # What the format has read in the test's file.
            known = {name: value for name, value in vars(test).items() if name not in ("suite", "config")}
            pickle.dump((result, known), to)
            to.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)


class ShTest(Measured, lit.formats.ShTest):
    expected = staticmethod(expected_seconds)


class GoogleTest(Measured, lit.formats.GoogleTest):
    expected = staticmethod(expected_shard_seconds)
