# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gone.py PROGRAM: waits until no process has been started as "PROGRAM --serve"
by a program that is gone."""
import os
import sys
import time


def servers():
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open("/proc/%s/cmdline" % number, "rb").read().split(b"\0")
        except OSError:
            continue
        if words[:2] == [sys.argv[1].encode(), b"--serve"]:
            yield number


for _ in range(200):
    # Another test may have one: only those that stay count.
    if not list(servers()):
        sys.exit(0)
    time.sleep(0.05)
sys.exit("still there: %s" % ", ".join(servers()))
