# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats of lit that say how many processor seconds tests took: a line each, SECONDS
and NAME, at the end of the file that KPACK_TEST_CPU names; of unit tests one for what
lit starts at once. Unlike minutes, these are about the same on a busy machine.

Counted is every process below a test, also those that it does not wait for, such as
kpack-jit-compile --serve: the process of lit is their parent once they have no other,
and waits for them as init would."""
import ctypes
import os
import pickle
import resource
import signal
import tempfile
import traceback

import lit.formats

PR_SET_CHILD_SUBREAPER = 36
# What ends with a test has a second to do so; what does not is not counted.
PATIENCE = 1


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
    pass


class GoogleTest(Measured, lit.formats.GoogleTest):
    pass
