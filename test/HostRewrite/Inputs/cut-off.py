# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts a file off while it is converted, at some time in each round: the conversion is
there or nothing is, and somebody has said why, until one was late enough to notice.

  cut-off.py KPACK FILE"""
import os
import shutil
import subprocess
import sys
import time

ROUNDS = 200


def convert(kpack, path, delay):
    shutil.rmtree("out", ignore_errors=True)
    os.mkdir("out")
    shutil.copy(path, "cut.so")
    child = subprocess.Popen([kpack, "convert", "-q", "cut.so", "-o", "out/cut.so"], stderr=subprocess.PIPE, text=True)
    time.sleep(delay)
    os.truncate("cut.so", 5000)
    said = child.communicate(timeout=60)[1]
    files = sorted(name for _, _, names in os.walk("out") for name in names)
    folders = [name for _, names, _ in os.walk("out") for name in names]
    if child.returncode not in (0, 1) or "crashed" in said:
        sys.exit("exit %d: %s" % (child.returncode, said))
    if child.returncode == 1 and (files or folders or "error: " not in said):
        sys.exit("%s: left %s %s" % (said, files, folders))
    if child.returncode == 0 and "cut.so" not in files or any(".tmp" in name for name in files):
        sys.exit("done, and there is %s" % files)
    return "was cut off meanwhile" in said


def main():
    # From before it is opened to behind the end.
    for i in range(ROUNDS):
        if convert(sys.argv[1], sys.argv[2], 0.005 * (i % 40)):
            print("noticed")
            return
    sys.exit("nothing noticed")


main()
