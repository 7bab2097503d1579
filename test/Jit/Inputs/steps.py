# What happens when one system call of a program that fills a cache goes wrong:
# the program is run once to see which calls concern the cache, then once for
# each of them, with the cache as it was.
#   steps.py kill TEMPLATE CACHE COMMAND...   killed at that call
#   steps.py fail TEMPLATE CACHE COMMAND...   the call returns an error
# COMMAND prints "run<0> = 10" when all is well. Afterwards the same command,
# undisturbed, must find nothing half-written.
import os
import re
import shutil
import signal
import subprocess
import sys

mode, template, cache, *command = sys.argv[1:]
log = cache + ".strace"
# What the kernel says when a disk is full; others read, lock or remove.
errors = {
    "write": "ENOSPC", "pwrite64": "ENOSPC", "ftruncate": "ENOSPC", "fsync": "EIO",
    "mkdir": "ENOSPC", "mkdirat": "ENOSPC", "openat": "ENOSPC", "renameat": "ENOSPC",
    "renameat2": "ENOSPC", "rename": "ENOSPC", "newfstatat": "EIO", "fstat": "EIO", "pread64": "EIO",
    "flock": "ENOLCK", "unlinkat": "EROFS", "linkat": "EPERM", "fstatfs": "EIO", "utimensat": "EROFS",
    "getdents64": "EIO", "faccessat": "EIO", "faccessat2": "EIO",
}

def reset():
    shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(template, cache, symlinks=True)

def run(*strace):
    return subprocess.run([*strace, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True)

def fail(step, why, result):
    sys.exit("%s: %s\nexit code %d\n%s%s" % (step, why, result.returncode, result.stdout, result.stderr))

reset()
first = run("strace", "-y", "-o", log)
if first.returncode or "run<0> = 10" not in first.stdout or "compiles=1" not in first.stdout:
    fail("undisturbed", "does not compile", first)
steps, counts, locked = [], {}, False
for line in open(log):
    name = line.split("(")[0]
    counts[name] = counts.get(name, 0) + 1
    locked = locked or "/locks/" in line
    # What the dynamic linker does with a file is not ours. Before it has the
    # lock a program only reads.
    if cache in line and name in errors and "AT_FDCWD" not in line and (locked or mode == "fail"):
        steps.append((name, counts[name]))
    if "fstatfs" in line:
        break
for needed in "write", "fsync", "renameat", "flock", "pwrite64":
    if needed not in [name for name, _ in steps]:
        fail("undisturbed", "no %s seen; look at %s" % (needed, log), first)

for name, number in steps:
    step = "%s of %s number %d" % (mode, name, number)
    reset()
    effect = "signal=KILL" if mode == "kill" else "error=" + errors[name]
    result = run("strace", "-y", "-o", log, "-e", "trace=" + name, "-e", "inject=%s:%s:when=%d" % (name, effect, number))
    if mode == "kill":
        if result.returncode != -signal.SIGKILL:
            fail(step, "was not killed", result)
    else:
        hit = [line for line in open(log) if "(INJECTED)" in line]
        if len(hit) != 1 or cache not in hit[0]:
            fail(step, "hit another call: %s" % hit, result)
        # Without the cache if need be, and then it says so. What was verified
        # and cannot be read a second time, to be loaded, is an error.
        is_lost = "cached file cannot be read: Input/output error" in result.stderr
        if not is_lost and (result.returncode or "run<0> = 10" not in result.stdout):
            fail(step, "stopped the program", result)
        if re.search(r"objects/../tmp-|rename", hit[0]) and "close" not in hit[0] and "warning: " not in result.stderr:
            fail(step, "an entry was not kept, and nobody was told", result)
    again = run()
    if again.returncode or "run<0> = 10" not in again.stdout or "warning" in again.stderr:
        fail(step, "spoilt the cache", again)
    if "hits=1 compiles=0" not in again.stdout:
        third = run()
        if "hits=1 compiles=0" not in third.stdout:
            fail(step, "is not cached by the next", third)
    if os.listdir(cache + "/quarantine"):
        fail(step, "something was refused", again)
print("%s: %d steps" % (mode, len(steps)))
