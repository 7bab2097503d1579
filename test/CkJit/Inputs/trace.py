# Reads a file of KPACK_JIT_TRACE and prints each kind of slice once, sorted.
import json
import sys

text = open(sys.argv[1]).read()
try:
    events = json.loads(text)
    print("complete")
except ValueError:
    events = json.loads(text + "]")
    print("cut off")
assert events[0]["name"] == "process_name", events[0]
slices = [e for e in events if e["ph"] == "X"]
assert len({e["pid"] for e in events}) == 1

lines = set()
for e in slices:
    parts = [e["cat"], e["name"], e.get("args", {}).get("result", "")]
    lines.add(" ".join(p for p in parts if p))
print("\n".join(sorted(lines)))
