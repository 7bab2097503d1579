"""Imports every sort of damaged bundle: broken-bundles.py CK_JIT GOOD.tar FOLDER.

The bundle is cut off at many places and has bits turned over at many others.
Whatever happens: no crash, an error for what is cut off, and nothing in the
cache that `verify` would not accept.
"""
import os
import random
import shutil
import subprocess
import sys

tool, good, folder = sys.argv[1:]
with open(good, "rb") as file:
    whole = file.read()
bundle = os.path.join(folder, "broken.tar")
cache = os.path.join(folder, "broken-cache")
random.seed(20261121)


def run(*words):
    done = subprocess.run([tool, "cache", *words, "--cache-dir=" + cache],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace")
    if done.returncode not in (0, 1):
        sys.exit("%s: exit code %d\n%s" % (words, done.returncode, done.stderr))
    return done


def attempt(name, content):
    shutil.rmtree(cache, ignore_errors=True)
    with open(bundle, "wb") as file:
        file.write(content)
    done = run("import", bundle)
    if done.returncode == 1 and "ck-jit: error: " not in done.stderr:
        sys.exit(name + ": failed without a message")
    if os.path.isdir(cache) and run("verify").returncode != 0:
        sys.exit(name + ": a bad entry was imported")
    return done


# The two empty blocks at the end, and the padding before them, are not needed.
end = whole.rindex(b"entries ") + 8
for cut in [0, 1, 100, 511, 512, 513] + sorted(random.sample(range(514, end), 5)):
    done = attempt("cut at %d" % cut, whole[:cut])
    if done.returncode == 0 and "has no last member" not in done.stderr:
        sys.exit("cut at %d: not noticed\n%s" % (cut, done.stdout))
for position in sorted(random.sample(range(len(whole)), 6)):
    flipped = bytearray(whole)
    flipped[position] ^= 1 << random.randrange(8)
    attempt("bit at %d" % position, bytes(flipped))
print("all refused")
