"""Runs a command whose standard error is a pipe that is full and never read.

usage: full-pipe.py COMMAND...
"""
import fcntl
import os
import subprocess
import sys

reader, writer = os.pipe()
flags = fcntl.fcntl(writer, fcntl.F_GETFL)
fcntl.fcntl(writer, fcntl.F_SETFL, flags | os.O_NONBLOCK)
try:
    while True:
        os.write(writer, b"x" * 4096)
except BlockingIOError:
    pass
fcntl.fcntl(writer, fcntl.F_SETFL, flags)
# What hangs is to fail.
sys.exit(subprocess.run(sys.argv[1:], stderr=writer, timeout=600).returncode)
