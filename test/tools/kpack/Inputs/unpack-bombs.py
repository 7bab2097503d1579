"""unpack-bombs.py make [BUNDLE]      files of less than 1 MB that become large
unpack-bombs.py cache FILE         an exported cache with an entry that does
unpack-bombs.py run MIB KPACK WORD...  runs a command; prints what it says, and fails
                                       where it takes more memory, or crashes."""
import resource
import struct
import subprocess
import sys
import tarfile
import zlib

BLOCK = 128 << 10


def zstd_zeros(size, start=b""):
    """A frame of blocks that repeat one byte, with the size in its header. In front of
    them there may be others."""
    blocks = size // BLOCK
    frame = b"\x28\xb5\x2f\xfd\xc0\x50" + struct.pack("<Q", len(start) + size)
    if start:
        frame += struct.pack("<I", len(start) << 3)[:3] + start
    for number in range(1, blocks + 1):
        frame += struct.pack("<I", BLOCK << 3 | 1 << 1 | (number == blocks))[:3] + b"\0"
    return frame


def zlib_zeros(size):
    packer = zlib.compressobj(9)
    pieces = [packer.compress(bytes(1 << 20)) for _ in range(size >> 20)]
    return b"".join(pieces) + packer.flush()


def bundle(version, method, data, plain):
    head = b"CCOB" + struct.pack("<HH", version, method)
    if version == 3:
        sizes = struct.pack("<QQ", 8 + 24 + len(data), plain)
    elif version == 2:
        sizes = struct.pack("<II", 8 + 16 + len(data), plain)
    else:
        sizes = struct.pack("<I", plain)
    return head + sizes + struct.pack("<Q", 0) + data


def make(small):
    giga = 1 << 30
    files = {
        "v1.hipfb": bundle(1, 1, zstd_zeros(giga), giga),
        "v2.hipfb": bundle(2, 1, zstd_zeros(giga), giga),
        "v3.hipfb": bundle(3, 1, zstd_zeros(10 * giga), 10 * giga),
        "zlib.hipfb": bundle(3, 0, zlib_zeros(giga // 2), giga // 2),
        # Each is within the limit.
        "many.hipfb": 8 * bundle(3, 1, zstd_zeros(32 << 20), 32 << 20),
    }
    if small:
        files["copies.hipfb"] = 8 * open(small, "rb").read()
    for name, content in files.items():
        assert len(content) < 1000000, name
        open(name, "wb").write(content)


def cache(name):
    header = tarfile.TarInfo("objects/00/" + 64 * "0" + ".entry")
    header.size = 1 << 29
    open(name, "wb").write(zstd_zeros((1 << 29) + BLOCK, header.tobuf()))


def run(limit, words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="")
    taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    if done.returncode < 0 or done.returncode > 1 or taken > limit:
        sys.exit("%s: status %d, %d MiB" % (" ".join(words), done.returncode, taken))


if sys.argv[1] == "make":
    make(sys.argv[2] if len(sys.argv) > 2 else None)
elif sys.argv[1] == "cache":
    cache(sys.argv[2])
else:
    run(int(sys.argv[2]), sys.argv[3:])
