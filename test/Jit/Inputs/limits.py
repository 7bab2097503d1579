# A program that may open few files only, or write small ones only, fills a
# cache: it is never ended by that, is told what lacks, and leaves a cache that
# the next one can use.
#   limits.py TEMPLATE CACHE COMMAND...
# COMMAND prints "run<0> = 10", or "caught code 8" where nothing could be done.
import os
import re
import resource
import shutil
import subprocess
import sys

template, cache, *command = sys.argv[1:]

def run(kind=None, limit=None):
    def lower():
        if kind is not None:
            resource.setrlimit(kind, (limit, limit))
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=lower)

def fail(step, why, result):
    sys.exit("%s: %s\nexit code %d\n%s%s" % (step, why, result.returncode, result.stdout, result.stderr))

def reset():
    shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(template, cache)

def attempt(step, kind, limit, words):
    """Whether the result was right, and whether it was kept."""
    reset()
    result = run(kind, limit)
    is_right = result.returncode == 0 and "run<0> = 10" in result.stdout
    if not is_right and not (result.returncode == 1 and "caught code 8" in result.stdout and
                             re.search("ck-jit: error: blob_0: .*" + words, result.stderr)):
        fail(step, "not told", result)
    after = run()
    if after.returncode or "run<0> = 10" not in after.stdout or "warning" in after.stderr:
        fail(step, "spoilt the cache", after)
    is_kept = "hits=1" in after.stdout
    if is_right and not is_kept and not re.search("warning: .*" + words, result.stderr):
        fail(step, "not kept, and not told", result)
    if [name for _, _, names in os.walk(cache + "/objects") for name in names if name.startswith("tmp-")]:
        fail(step, "leaves temporary files", result)
    return is_right, is_kept

reset()
run()
entries = [os.path.join(folder, name) for folder, _, names in os.walk(cache + "/objects") for name in names]
entry = next(open(path, "rb").read() for path in entries if open(path, "rb").read(4) == b"\x7fELF")
payload = int.from_bytes(entry[-56:-48], "little")

# The first is too small for a lock's text, the last but one for some bytes of
# the entry, whose length depends a little on how long the compile took.
for limit, wanted in ((0, None), (10, None), (4096, None), (payload - 1, (False, False)), (payload, (True, False)),
                      (payload + 1, (True, False)), (len(entry) - 16, (True, False)), (len(entry) + 16, (True, True))):
    seen = attempt("files of %d bytes" % limit, resource.RLIMIT_FSIZE, limit,
                   r"(File too large; allow larger files \(ulimit -f\)|ended from outside)")
    if wanted and seen != wanted:
        sys.exit("files of %d bytes: %s" % (limit, seen))
right = [attempt("%d open files" % limit, resource.RLIMIT_NOFILE, limit, r"(Too many open files; allow more|ended from outside)")
         for limit in range(4, 20)]
if right[0] != (False, False) or right[-1] != (True, True):
    sys.exit("open files: %s" % right)
print("limits: done")
