"""usage: landing-pads.py LIBRARY DISASSEMBLY: each exported function begins with
endbr64 in what `llvm-objdump -d --no-show-raw-insn` has printed."""
import re
import subprocess
import sys

names = subprocess.run(["llvm-nm", "-D", "--defined-only", "--format=posix", sys.argv[1]],
                       stdout=subprocess.PIPE, check=True, text=True).stdout
wanted = {}
for line in names.splitlines():
    name, kind, address = line.split()[:3]
    if kind in "TW":
        wanted[int(address, 16)] = name
with open(sys.argv[2], encoding="utf-8") as file:
    for line in file:
        instruction = re.match(r"\s*([0-9a-f]+):\s+(\S+)", line)
        if instruction and int(instruction.group(1), 16) in wanted:
            name = wanted.pop(int(instruction.group(1), 16))
            if instruction.group(2) != "endbr64":
                sys.exit("%s: %s begins with %s" % (sys.argv[1], name, instruction.group(2)))
if wanted:
    sys.exit("%s: not in the disassembly: %s" % (sys.argv[1], sorted(wanted.values())))
