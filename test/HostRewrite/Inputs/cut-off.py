# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts a file off while it is converted, or the tree that it is in is packed, at some
time in each round: the conversion is there or nothing is, and somebody has said why,
until one was late enough to notice.

  cut-off.py convert|pack-tree KPACK FILE"""
import os
import shutil
import subprocess
import sys
import time

ROUNDS = 200


def convert(command, kpack, path, delay):
    """Whether it was noticed; without a delay, how long it takes."""
    for folder in "in", "out":
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
    arguments = ["in/cut.so", "-o", "out/cut.so"]
    if command == "pack-tree":
        # Folders and files are there when it is noticed, and others are written.
        os.makedirs("in/a/b")
        for name in "in/a/b/whole.so", "in/z.so":
            shutil.copy(path, name)
        arguments = ["-j4", "--input=in", "--output=out/tree"]
    shutil.copy(path, "in/cut.so")
    begin = time.monotonic()
    child = subprocess.Popen([kpack, command, "-q", *arguments], stderr=subprocess.PIPE, text=True)
    if delay is not None:
        time.sleep(delay)
        os.truncate("in/cut.so", 5000)
    said = child.communicate(timeout=60)[1]
    if delay is None and child.returncode == 0:
        return time.monotonic() - begin
    files = sorted(name for _, _, names in os.walk("out") for name in names)
    folders = [name for _, names, _ in os.walk("out") for name in names]
    if child.returncode not in (0, 1) or "crashed" in said:
        sys.exit("exit %d: %s" % (child.returncode, said))
    if child.returncode == 1 and (files or folders or "error: " not in said):
        sys.exit("%s: left %s %s" % (said, files, folders))
    if child.returncode == 0 and "cut.so" not in files or any(".tmp" in name for name in files + folders):
        sys.exit("done, and there is %s %s" % (files, folders))
    return "was cut off meanwhile" in said


def main():
    duration = convert(*sys.argv[1:4], None)
    # From before it is opened to the end.
    for i in range(ROUNDS):
        if convert(*sys.argv[1:4], duration * (i % 40) / 40):
            print("noticed")
            return
    sys.exit("nothing noticed")


main()
