"""Runs a command with less and less memory, down to what it starts with, until it says that
there is too little: never by a signal, and without a stack dump."""
import resource
import subprocess
import sys

seen = False
for mebibytes in range(400, 90, -20):
    limit = mebibytes << 20
    done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    if done.returncode == 127:  # the dynamic linker has too little
        break
    if done.returncode not in (0, 1) or "crashed" in done.stdout:
        sys.exit("%d MiB: status %d\n%s" % (mebibytes, done.returncode, done.stdout))
    seen |= "memory; close other programs" in done.stdout
if not seen:
    sys.exit("the memory was never too little")
