"""Runs a command with less and less memory until it says that there is too little: never
by a signal, and without a stack dump."""
import resource
import subprocess
import sys

seen = False
for mebibytes in (400, 180, 160, 140, 120, 100):
    limit = mebibytes << 20
    done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    if done.returncode not in (0, 1) or "crashed" in done.stdout:
        sys.exit("%d MiB: status %d\n%s" % (mebibytes, done.returncode, done.stdout))
    seen |= "memory; close other programs" in done.stdout
if not seen:
    sys.exit("the memory was never too little")
