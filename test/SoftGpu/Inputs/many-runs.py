"""Runs a command many times; every run must end, with the same output.

usage: many-runs.py COUNT COMMAND...
"""
import subprocess
import sys

HANG = 600  # seconds; a run takes less than one on an idle machine

first = None
for number in range(int(sys.argv[1])):
    done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=HANG)
    result = (done.returncode, done.stdout)
    if first is None:
        first = result
        sys.stdout.write(done.stdout.decode())
    assert result == first, "run %d: %s" % (number, result)
    assert done.returncode == 0, done.returncode
print("%s runs alike" % sys.argv[1])
