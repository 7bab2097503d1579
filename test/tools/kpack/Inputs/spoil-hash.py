#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spoil-hash.py IN OUT

Copies a compressed offload bundle with another hash in its header, which stands
in front of the data: 16 bytes from the start in version 2, 24 in version 3."""
import sys

data = bytearray(open(sys.argv[1], "rb").read())
data[{2: 16, 3: 24}[data[4]]] ^= 1
open(sys.argv[2], "wb").write(data)
