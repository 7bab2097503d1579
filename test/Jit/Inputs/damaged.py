# Entries that must not be used: each is put into a copy of a cache, a program
# that wants it is run, and run again.
#   damaged.py GOOD OTHER FORGED FOREIGN CACHE COMMAND...
# GOOD is a cache with an object of which COMMAND prints "run<0> = 10", OTHER an
# entry of another key; FORGED is right in all its parts and prints 20; FOREIGN
# the same for machines of another kind. COMMAND never prints 20 but for FORGED.
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

good, other, forged, foreign, cache, *command = sys.argv[1:]
good_entry = next(os.path.join(folder, name) for folder, _, names in os.walk(good + "/objects")
                  for name in names if b"ELF" in open(os.path.join(folder, name), "rb").read(4))
name = os.path.basename(good_entry)
entry = cache + good_entry[len(good):]
code = open(forged, "rb").read()

def write(data):
    return lambda: open(entry, "wb").write(data)

def flipped(at):
    data = bytearray(code)
    data[at] ^= 16
    return bytes(data)

def schema(number):
    data = bytearray(code)
    data[-64] = number
    return bytes(data)

def owned():
    write(code)()
    os.chown(entry, 12345, -1)

def writable():
    write(code)()
    os.chmod(entry, 0o620)

def link():
    shutil.copy(forged, cache + "/elsewhere")
    os.symlink(cache + "/elsewhere", entry)

def bind():
    os.chdir(os.path.dirname(entry)) # names of sockets are short
    socket.socket(socket.AF_UNIX).bind(name)

# What is in the entry's place, what the program says, and whether it is put
# aside (else the new entry takes its place).
cases = {
    "nothing": (lambda: None, None, False),
    "empty": (write(b""), "shorter than its footer", True),
    "cut off by a byte": (write(code[:-1]), "does not end as an entry ends", True),
    "cut off in the middle": (write(code[:len(code) // 2]), "does not end as an entry ends", True),
    "its end alone": (write(code[-64:]), "lengths that do not fit the file", True),
    "longer by a byte": (write(code + b"\0"), "does not end as an entry ends", True),
    "a bit of the code": (write(flipped(1000)), "checksum does not match", True),
    "a bit of the description": (write(flipped(len(code) - 100)), "checksum does not match", True),
    "a bit of the lengths": (write(flipped(len(code) - 64 + 8)), "(checksum|lengths)", True),
    "a bit of the checksum": (write(flipped(len(code) - 10)), "checksum does not match", True),
    "zeros": (write(bytes(len(code))), "does not end as an entry ends", True),
    "of another key": (lambda: shutil.copy(other, entry), "holds another entry than its name says", True),
    "of another schema": (write(schema(2)), None, False),
    "for another kind of machine": (lambda: shutil.copy(foreign, entry), "made for machines of another kind", True),
    "others may write": (writable, "others may write to it", True),
    "a link": (link, "Too many levels of symbolic links", False),
    "a FIFO": (lambda: os.mkfifo(entry), "not a regular file", True),
    "a socket": (bind, "No such device or address", False),
    "a directory": (lambda: os.mkdir(entry), "not a regular file", True),
}

def can_give_away():
    """Not root of a name space with no other users."""
    with tempfile.NamedTemporaryFile(dir=good) as file:
        try:
            os.chown(file.name, 12345, -1)
            return True
        except OSError:
            return False

if can_give_away():
    cases["of another user"] = (owned, "belongs to another user", True)

def run():
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)

def prepare(make):
    shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(good, cache)
    os.unlink(entry)
    make()

def fail(case, why, result):
    sys.exit("%s: %s\nexit code %d\n%s%s" % (case, why, result.returncode, result.stdout, result.stderr))

# So that a test that finds nothing wrong has looked: this one is used.
prepare(write(code))
result = run()
if "run<0> = 20" not in result.stdout or "hits=1 compiles=0" not in result.stdout:
    fail("forged", "is not loaded", result)

for case, (make, reason, is_moved) in cases.items():
    prepare(make)
    result = run()
    if result.returncode or "run<0> = 10" not in result.stdout or "compiles=1" not in result.stdout:
        fail(case, "was not compiled again", result)
    said = re.search(r"ck-jit: warning: (.*); it is not used and compiled again", result.stderr)
    if bool(said) != bool(reason) or (reason and (not re.search(reason, said[1]) or entry not in said[1])):
        fail(case, "not '%s'" % reason, result)
    aside = sorted(os.listdir(cache + "/quarantine"))
    if len(aside) != (2 if is_moved else 0) or any(not a.startswith(name[:64]) for a in aside):
        fail(case, "in quarantine: %s" % aside, result)
    if is_moved and not re.search(reason, open(cache + "/quarantine/" + aside[1]).read()):
        fail(case, "no reason in %s" % aside[1], result)
    result = run()
    if "run<0> = 10" not in result.stdout or "hits=1 compiles=0" not in result.stdout or "warning" in result.stderr:
        fail(case, "is still in the way", result)
print("%d bad entries" % len(cases))
