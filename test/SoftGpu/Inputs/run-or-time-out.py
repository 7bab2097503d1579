"""Runs a command and prints its outcome: how a test says "no hang, no crash".

usage: run-or-time-out.py SECONDS COMMAND...
Prints the command's output and "exit N", "signal N" or "hang".
"""
import subprocess
import sys

try:
    done = subprocess.run(sys.argv[2:], timeout=float(sys.argv[1]),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    sys.stdout.write(done.stdout.decode(errors="replace"))
    code = done.returncode
    print("signal %d" % -code if code < 0 else "exit %d" % code)
except subprocess.TimeoutExpired:
    print("hang")
