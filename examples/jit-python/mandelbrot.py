#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One piece of C++ for the processor and for a GPU, compiled when it is called.

How often points of the plane are iterated, by NumPy, by a function of the host and, where
this runs on a GPU (kpack-run has emulated ones), by a kernel. The number of iterations is
a constant of the compile: another one is another instance, and both stay.
"""
import sys

import numpy as np

import kpack_jit
from kpack_jit import Constexpr, DeviceArray, jit

# What the function and the kernel share. Both see the constant `limit`.
POINT = """
#ifdef __HIP__
__device__
#endif
inline int escape(float x, float y) {
  float u = 0, v = 0;
  for (int n = 0; n < limit; ++n) {
    float w = u * u - v * v + x;
    v = 2 * u * v + y;
    u = w;
    if (u * u + v * v > 4)
      return n;
  }
  return limit;
}
"""
# The same rounding everywhere: no products and sums in one step.
EXACT = ["-ffp-contract=off"]


@jit(prelude=POINT, flags=EXACT)
def on_host(counts: "int *", x: "const float *", y: "const float *", n: int, limit: Constexpr):
    """
    for (int i = 0; i < n; ++i)
      counts[i] = escape(x[i], y[i]);
    """


@jit(prelude=POINT, flags=EXACT, target="gpu")
def on_gpu(counts: "int *", x: "const float *", y: "const float *", n: int, limit: Constexpr):
    """
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
      counts[i] = escape(x[i], y[i]);
    """


def by_numpy(x, y, limit):
    counts = np.full(x.shape, limit, np.int32)
    u, v = np.zeros_like(x), np.zeros_like(y)
    for n in range(limit):
        u, v = u * u - v * v + x, 2 * u * v + y
        counts[(u * u + v * v > 4) & (counts == limit)] = n
        u[counts != limit] = v[counts != limit] = 0
        x, y = np.where(counts != limit, 0, x), np.where(counts != limit, 0, y)
    return counts


def main(with_gpu):
    columns, rows = 64, 24
    x, y = np.meshgrid(np.linspace(-2.2, 0.8, columns, dtype=np.float32), np.linspace(-1.2, 1.2, rows, dtype=np.float32))
    wrong = 0
    for limit in (10, 40, 40):
        expected = by_numpy(x, y, limit)
        counts = np.zeros_like(expected)
        on_host(counts, x, y, x.size, limit)
        wrong += (counts != expected).sum()
        if with_gpu:
            # Memory of the GPU, as a framework's arrays have it.
            result, gpu_x, gpu_y = DeviceArray(np.zeros_like(expected)), DeviceArray(x), DeviceArray(y)
            on_gpu(result, gpu_x, gpu_y, x.size, limit, grid=(x.size + 63) // 64, block=64)
            wrong += (result.copy_to(counts) != expected).sum()
        print("limit %d: %d instances for the host, %d for the GPU" % (limit, len(on_host.instances),
                                                                      len(on_gpu.instances)))
    for row in counts[::2]:
        print("".join(" .:-=+*#%@"[min(n // 4, 9)] for n in row))
    print("%d points %s" % (x.size, "right" if wrong == 0 else "of which %d are wrong" % wrong))
    print("compiled %d" % kpack_jit.stats().compiles, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main("--gpu" in sys.argv[1:]))
