"""Runs the blocks of Python of a page, one after another in one module.

usage: python-blocks.py PAGE

Each is compiled as lines of a file, for @jit looks at the source of functions.
"""
import linecache
import re
import sys

import numpy as np

import kpack_jit

with open(sys.argv[1], encoding="utf-8") as page:
    blocks = re.findall(r"^```python\n(.*?)^```", page.read(), flags=re.S | re.M)
# What the reader has where the page says so.
names = {"__name__": "page", "array": kpack_jit.DeviceArray(np.arange(4, dtype=np.float32)), "n": 4, "stream": None,
         "text": "template <int N, class T> __global__ void scale(T *x, int n) {"
                 " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= N; }"}
for number, block in enumerate(blocks, 1):
    print("block", number)
    file = "block-%d.py" % number
    linecache.cache[file] = (len(block), None, block.splitlines(True), file)
    exec(compile(block, file, "exec"), names)
values = names["array"].copy_to(np.zeros(4, np.float32))
print("%d blocks, executor %d, array %s" % (len(blocks), names["executor"](1, 2), values.tolist()))
