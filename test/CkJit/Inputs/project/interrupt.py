# Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# interrupt.py SIGNAL FIFO COMMAND...: runs COMMAND; once somebody has written
# process ids into FIFO, sends SIGNAL to COMMAND alone; says how it ended and
# which of those processes still run.
import os
import signal
import subprocess
import sys

number = getattr(signal, "SIG" + sys.argv[1])


def default():
    signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])


process = subprocess.Popen(sys.argv[3:], preexec_fn=default)
with open(sys.argv[2]) as fifo:
    pids = [int(word) for word in fifo.read().split()]
process.send_signal(number)
code = process.wait()


def runs(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


print("ended by signal", -code)
print("started:", len(pids), "still running:", sum(map(runs, pids)))
