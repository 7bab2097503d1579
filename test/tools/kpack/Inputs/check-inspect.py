#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-inspect.py INSPECT.json NOTES.txt

Compares what `kpack inspect --json` says of the one code object of a file with
what `llvm-readelf --notes` prints of it."""
import json
import re
import sys

FIELDS = {".vgpr_count": "vgprs", ".sgpr_count": "sgprs", ".agpr_count": "agprs",
          ".vgpr_spill_count": "vgpr_spills", ".sgpr_spill_count": "sgpr_spills",
          ".group_segment_fixed_size": "lds_size", ".private_segment_fixed_size": "private_size",
          ".kernarg_segment_size": "kernarg_size", ".wavefront_size": "wavefront_size",
          ".max_flat_workgroup_size": "max_workgroup_size"}

notes = open(sys.argv[2]).read().split("amdhsa.kernels:")[1].split("amdhsa.target:")[0]
expected = {}
for text in re.split(r"^  - ", notes, flags=re.M)[1:]:
    # The kernel's own fields are indented by four; its arguments deeper.
    fields = dict(re.findall(r"^    (\.\w+): +(\S+)$", "    " + text, flags=re.M))
    expected[fields[".name"]] = {ours: int(fields[theirs]) if theirs in fields else None
                                 for theirs, ours in FIELDS.items()}

containers = json.load(open(sys.argv[1]))["files"][0]["containers"]
kernels = containers[0]["code_objects"][0]["kernels"]
actual = {k["symbol"]: {name: k[name] for name in FIELDS.values()} for k in kernels}
if not expected or actual != expected:
    sys.exit("inspect says %s\nthe notes say %s" % (actual, expected))
