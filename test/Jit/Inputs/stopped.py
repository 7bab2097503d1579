# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stopped.py CACHE COMMAND...: runs the command after all products have been taken out
of the cache, while their locks are held, as by a process that has been stopped."""
import fcntl
import glob
import os
import subprocess
import sys

cache = sys.argv[1]
held = []
for entry in glob.glob(cache + "/objects/*/*.entry"):
    if b"shared-object" not in open(entry, "rb").read():
        continue
    os.remove(entry)
    lock = open("%s/locks/%s" % (cache, os.path.basename(entry)[:-len(".entry")]), "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    lock.write("1 1700000000 elsewhere\n")
    lock.flush()
    held.append(lock)
if not held:
    sys.exit("%s: has no entry of a product" % cache)
# As long as processes wait without a limit is too long.
sys.exit(subprocess.run(sys.argv[2:], timeout=300).returncode)
