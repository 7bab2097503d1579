"""Makes bundles out of a good one: bundles.py GOOD.tar FOLDER.

Each has one thing wrong and keeps the good entries. Names of files tell what.
"""
import io
import os
import sys
import tarfile

good, folder = sys.argv[1:]
with tarfile.open(good) as tar:
    members = [(m.name, tar.extractfile(m).read()) for m in tar.getmembers()]
entry, data = members[0]
key = os.path.basename(entry)[:64]


def write(name, extra, keep=members, first=True):
    with tarfile.open(os.path.join(folder, name), "w", format=tarfile.GNU_FORMAT) as tar:
        def add(path, content=b"", **fields):
            info = tarfile.TarInfo(path)
            info.size = len(content)
            for field, value in fields.items():
                setattr(info, field, value)
            tar.addfile(info, io.BytesIO(content) if content else None)
        if first:
            extra(add)
        for path, content in keep:
            add(path, content)
        if not first:
            extra(add)


other = "0" * 64
write("absolute.tar", lambda add: add("/" + entry, data))
write("above.tar", lambda add: add("objects/00/../../../" + other + ".entry", data))
write("above2.tar", lambda add: add("../objects/" + key[:2] + "/" + key + ".entry", data))
write("symlink.tar", lambda add: add("objects/00/" + other + ".entry", type=tarfile.SYMTYPE,
                                     linkname="/etc/passwd"))
write("hardlink.tar", lambda add: add("objects/00/" + other + ".entry", type=tarfile.LNKTYPE,
                                      linkname=entry))
write("fifo.tar", lambda add: add("objects/00/" + other + ".entry", type=tarfile.FIFOTYPE))
write("device.tar", lambda add: add("objects/00/" + other + ".entry", type=tarfile.CHRTYPE,
                                    devmajor=1, devminor=5))
write("name.tar", lambda add: add("objects/00/" + other + ".entry", data))
write("folder.tar", lambda add: add("objects/ff/" + key + ".entry", data))
write("upper.tar", lambda add: add("objects/" + key[:2] + "/" + key.upper() + ".entry", data))
write("script.tar", lambda add: add("last-prune", b"x"))
write("long.tar", lambda add: add("a" * 5000, b"x"))
write("flip.tar", lambda add: add(entry, data[:9] + bytes([data[9] ^ 1]) + data[10:]), members[1:])
write("cut.tar", lambda add: add(entry, data[:-100]), members[1:])
write("empty.tar", lambda add: add(entry), members[1:])
write("twice.tar", lambda add: add(entry, data))
write("lost.tar", lambda add: None, members[1:])
write("plain.tar", lambda add: (add("./objects", type=tarfile.DIRTYPE),
                                add("./" + entry, data)), [])

# A header that promises 2^62 bytes, and one whose number is no number.
with open(good, "rb") as file:
    raw = bytearray(file.read())


def header(name, size):
    changed = bytearray(raw)
    changed[124:136] = size
    changed[148:156] = b" " * 8
    changed[148:156] = b"%06o\0 " % sum(changed[:512])
    with open(os.path.join(folder, name), "wb") as file:
        file.write(changed)


header("huge.tar", b"\x80\0\0\0" + (1 << 62).to_bytes(8, "big"))
header("negative.tar", b"\xff" * 12)
header("text.tar", b"many bytes\0\0")
with open(os.path.join(folder, "noise.tar"), "wb") as file:
    file.write(bytes(range(256)) * 64)
open(os.path.join(folder, "nothing.tar"), "wb").close()
