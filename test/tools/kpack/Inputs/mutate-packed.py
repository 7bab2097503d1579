# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages archives and markers, and gives them to commands: each ends by itself with 0 or
1, in bounded time and memory. The same numbers each time.

  mutate-packed.py KPACK COUNT GIB FILE ARCHIVE COMMAND...

Each COMMAND is a line of words, with BINARY, ARCHIVE and OUT in the places of files; COUNT
mutants for each. GIB is the address space that each has, of which half of one is the
program itself; 0 is no limit. A sample that shows a failure stays, as failure-<number>."""
import os
import random
import resource
import shutil
import subprocess
import sys

SECONDS = 20


def mutate(data, numbers, near):
    data = bytearray(data)
    for _ in range(numbers.choice((1, 1, 2, 4))):
        begin, end = numbers.choice(near)
        width = numbers.choice((1, 1, 2, 4, 8))
        at = numbers.randrange(begin, max(begin + 1, end - width))
        old = int.from_bytes(data[at:at + width], "little")
        new = numbers.choice((0, 2 ** (8 * width) - 1, 2 ** (8 * width - 1), old + 1, old - 1,
                              old ^ 1 << numbers.randrange(8 * width), numbers.getrandbits(8 * width)))
        data[at:at + width] = (new % 2 ** (8 * width)).to_bytes(width, "little")
    if numbers.random() < 0.05:
        del data[numbers.randrange(len(data)):]
    return bytes(data)


def interesting(binary, archive):
    marker = binary.find(b"kpack_search_paths")
    tail = max(0, len(archive) - 700)  # the table of contents stands last
    return [(marker - 4, marker + 300)], [(0, 64), (tail, len(archive)), (tail, len(archive)), (0, len(archive))]


def run(kpack, memory, words):
    shutil.rmtree("out", ignore_errors=True)
    os.mkdir("out")
    places = {"BINARY": "sample/app", "ARCHIVE": "sample/.kpack/app_gfx1100.kpack", "OUT": "out/new"}
    command = [kpack] + [places.get(word, word) for word in words]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))
    except subprocess.TimeoutExpired:
        return None, "takes more than %d s" % SECONDS
    if done.returncode not in (0, 1):
        return None, "exit %d: %s" % (done.returncode, done.stderr.decode(errors="replace")[-300:])
    if done.returncode == 1 and b"error: " not in done.stderr + done.stdout and words[0] not in ("diff", "doctor"):
        return None, "1 without a message"
    return done.returncode, ""


def main():
    kpack, count = sys.argv[1], int(sys.argv[2])
    memory = int(sys.argv[3]) << 30 or resource.RLIM_INFINITY
    binary, archive = (open(path, "rb").read() for path in sys.argv[4:6])
    near_binary, near_archive = interesting(binary, archive)
    shutil.copytree(os.path.dirname(sys.argv[5]), "sample/.kpack")
    failed = number = 0
    for line in sys.argv[6:]:
        codes = {0: 0, 1: 0}
        numbers = random.Random(12)
        for number in range(count):
            part = numbers.random()
            with open("sample/app", "wb") as file:
                file.write(mutate(binary, numbers, near_binary) if part < 0.3 else binary)
            with open("sample/.kpack/app_gfx1100.kpack", "wb") as file:
                file.write(archive if part < 0.2 else mutate(archive, numbers, near_archive))
            code, why = run(kpack, memory, line.split())
            if why:
                failed += 1
                shutil.copytree("sample", "failure-%s-%d" % (line.split()[0], number), dirs_exist_ok=True)
                print("%s, sample %d: %s" % (line, number, why))
            else:
                codes[code] += 1
        print("%s: %d done, %d refused" % (line.split()[0], codes[0], codes[1]), flush=True)
    print("%d failed" % failed)


main()
