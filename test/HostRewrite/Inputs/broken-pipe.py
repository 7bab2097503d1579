# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs a tree of many files while nobody reads what is said of them, and tells a
conversion so by the signal alone: both end by SIGPIPE and leave nothing.

  broken-pipe.py KPACK FILE LARGE-FILE"""
import os
import shutil
import signal
import subprocess
import sys
import time


def make(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)


def start(folder, command, **options):
    # Whatever started the tests may ignore the signal.
    return subprocess.Popen(command, cwd=folder, restore_signals=True, **options)


def pack(kpack, path):
    """More lines than a buffer holds come while files are converted."""
    make("many")
    for number in range(80):
        shutil.copy(path, "many/%s-%d.so" % ("long" * 40, number))
    make("pipe")
    process = start("pipe", [kpack, "pack-tree", "--input=../many", "--output=packed"],
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdout.close()
    code = process.wait()
    assert code == -signal.SIGPIPE and os.listdir("pipe") == [], (code, os.listdir("pipe"))
    print("pack-tree: good")


def convert(kpack, path):
    """Until a signal has come in time."""
    source = os.path.abspath(path)
    for _ in range(100):
        make("pipe")
        process = start("pipe", [kpack, "convert", "-q", source, "-o", "converted"])
        while not os.path.exists("pipe/.kpack") and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGPIPE)
        left = process.wait(), sorted(os.listdir("pipe"))
        if left[0] != 0:
            assert left == (-signal.SIGPIPE, []), left
            print("convert: good")
            return
    sys.exit("each signal has come too late")


def main():
    kpack, path, large = sys.argv[1:]
    pack(kpack, path)
    convert(kpack, large)


main()
