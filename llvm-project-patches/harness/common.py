# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages and commands, for the modules of this folder."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.dirname(HERE)


def say(text):
    print("==> " + text, flush=True)


def fail(text):
    sys.exit("check: error: " + text)


def run(command, **options):
    """What the command printed; its failure ends everything, with its last lines."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        fail("%s: exit %d:\n%s" % (" ".join(command[:3]), done.returncode,
                                   "\n".join(done.stdout.splitlines()[-40:])))
    return done.stdout


class Count:
    """What passed and what failed so far; a failure is said at once."""

    def __init__(self):
        self.passed = self.failed = 0

    def add(self, what, problems):
        """One check; problems is what is wrong, a text or none."""
        if not problems:
            self.passed += 1
            return
        self.failed += 1
        say("%s: failed: %s" % (what, problems))
