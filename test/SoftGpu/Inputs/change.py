"""Writes a changed copy of an archive, or of an object file.

usage: change.py truncate|flip FROM TO
       change.py add-to-sub FROM TO CODE_OBJECT OBJDUMP
truncate: the first half. flip: one bit of each byte in the middle third.
add-to-sub: the one v_add_f32 of the code object, which the archive holds as it
is, becomes v_sub_f32, the next opcode of the same encoding.
"""
import re
import subprocess
import sys

how, source, target = sys.argv[1:4]
data = bytearray(open(source, "rb").read())
if how == "truncate":
    data = data[: len(data) // 2]
elif how == "flip":
    for i in range(len(data) // 3, 2 * len(data) // 3):
        data[i] ^= 0x10
elif how == "add-to-sub":
    text = subprocess.check_output([sys.argv[5], "-d", sys.argv[4]], text=True)
    found = re.findall(r"v_add_f32_e32 .*// [0-9A-F]+: ([0-9A-F]{8})", text)
    assert len(found) == 1, text
    word = int(found[0], 16)
    old = word.to_bytes(4, "little")
    assert data.count(old) == 1, data.count(old)
    data = data.replace(old, (word + (1 << 25)).to_bytes(4, "little"))
else:
    sys.exit(__doc__)
open(target, "wb").write(data)
