"""cut.py WHOLE DAMAGED cut|flip -- COMMAND: runs the command with damaged copies
of an archive. Each run has to end by itself, with output for both wrappers, and
with a message if no code object is found."""
import os
import subprocess
import sys

whole, damaged, how = sys.argv[1:4]
command = sys.argv[5:]
data = open(whole, "rb").read()
runs = crashes = silent = 0
for i in range(16):
    at = i * (len(data) - 1) // 15
    if how == "cut":
        copy = data[:at]
    else:
        copy = bytearray(data)
        copy[at] ^= 1 << (i % 8)
    # As writers do: never into a file that may be open.
    with open(damaged + ".new", "wb") as out:
        out.write(copy)
    os.rename(damaged + ".new", damaged)
    # Only what hangs takes that long, however busy the machine.
    run = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    runs += 1
    lines = run.stdout.splitlines()
    modules = [line for line in lines if line.startswith("module ")]
    bad = [line for line in modules if "kernels=_Z" not in line]
    if run.returncode != 0 or len(modules) != 2:
        crashes += 1
        print(how, at, run.returncode, run.stdout, run.stderr)
    elif bad and "kpack" not in run.stderr:
        silent += 1
        print(how, at, run.stdout, run.stderr)
print("%d runs, %d crashes, %d without a message" % (runs, crashes, silent))
