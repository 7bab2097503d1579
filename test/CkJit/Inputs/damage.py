"""Damages one entry of a cache: damage.py CACHE KEY flip|cut|schema|link."""
import os
import sys

cache, key, how = sys.argv[1:]
path = os.path.join(cache, "objects", key[:2], key + ".entry")
with open(path, "rb") as file:
    data = bytearray(file.read())
if how == "flip":
    data[3] ^= 1
elif how == "cut":
    del data[len(data) // 2:]
elif how == "schema":
    data[-64] = 7
os.remove(path)
if how == "link":
    os.symlink("/etc/passwd", path)
else:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        file.write(data)
