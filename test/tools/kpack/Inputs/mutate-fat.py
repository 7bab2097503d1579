"""Changes some bytes of a fat binary in a loop, converts it, and has what was converted
verified: mutate-fat.py KPACK COUNT BINARY... Which change is made is the same each time."""
import os
import random
import shutil
import struct
import subprocess
import sys


def mutate(data, rand):
    data = bytearray(data)
    headers, = struct.unpack_from("<Q", data, 40)
    segments, = struct.unpack_from("<H", data, 56)
    sections, = struct.unpack_from("<H", data, 60)
    for _ in range(rand.choice((1, 1, 1, 2, 3))):
        where = rand.random()
        if where < 0.1:
            at = 64 + rand.randrange(56 * segments)
        elif where < 0.5:
            at = headers + rand.randrange(64 * sections)
        elif where < 0.7:  # the code object
            at = data.index(b"\x7fELF", 4096) + rand.randrange(640)
        else:
            at = rand.randrange(len(data))
        if rand.random() < 0.5:
            data[at] ^= 1 << rand.randrange(8)
        else:
            data[at] = rand.randrange(256)
    return bytes(data)


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


kpack, count, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
good = [open(name, "rb").read() for name in names]
converted = refused = 0
for seed in range(count):
    rand = random.Random(seed)
    with open("in", "wb") as file:
        file.write(mutate(good[seed % len(good)], rand))
    shutil.rmtree("mutant", ignore_errors=True)
    os.mkdir("mutant")
    done = run(kpack, "convert", "in", "-o", "mutant/out")
    if done.returncode not in (0, 1):
        sys.exit("seed %d: convert: status %d\n%s" % (seed, done.returncode, done.stdout))
    if done.returncode or ": converted" not in done.stdout:
        refused += 1
        continue
    converted += 1
    done = run(kpack, "verify", "mutant/out")
    if done.returncode:
        sys.exit("seed %d: converted, and verify says\n%s" % (seed, done.stdout))
print("%d converted and verified, %d not converted" % (converted, refused))
