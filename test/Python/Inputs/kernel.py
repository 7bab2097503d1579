"""Kernels and what is passed to them. ../kernel.test runs it on emulated GPUs."""
import ctypes
import gc

import dlpack
import numpy as np

import kpack_jit
from kpack_jit import Constexpr, DeviceArray, _hip, compile, device_target, jit

TEXT = """
template <int N, class T> __global__ void scale(T *x, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= N;
}
// Where each work item is, and how many there are.
__global__ void places(unsigned *to) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
           z = blockIdx.z * blockDim.z + threadIdx.z;
  unsigned width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  to[(z * height + y) * width + x] = x + 100 * y + 10000 * z + 1000000 * gridDim.z;
}
extern __shared__ int space[];
__global__ void sum(int *x, int n) {
  space[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  int s = 0;
  for (int i = 0; i < n; ++i)
    s += space[i];
  x[threadIdx.x] = s;
}
__global__ void heavy(int *x, int n) {
  for (int i = 0; i < n; ++i)
    x[0] = x[0] * 3 + 1;
}
"""
GUARD = 64  # elements behind the data that no kernel may touch


def guarded(values):
    """On the GPU, with what must not change behind it."""
    return DeviceArray(np.concatenate([values, np.full(GUARD, 77, values.dtype)]))


def read(array):
    host = array.copy_to(np.zeros(array.shape, array.typestr))
    assert (host[-GUARD:] == 77).all(), "written behind the data"
    return host[:-GUARD]


class Stream:
    """As a framework has it."""
    def __init__(self):
        handle = ctypes.c_void_p()
        _hip.call("hipStreamCreate", ctypes.byref(handle))
        self.cuda_stream = handle.value


scale = compile(TEXT, "scale<3, int>", "void (int *, unsigned)", target="gpu")
print("target:", scale.target == device_target() and scale.target.startswith("gfx"), scale.signature)
ints = np.arange(150, dtype=np.int32)
x = guarded(ints)
scale(x, 150, grid=3, block=64)
print("scale:", (read(x) == 3 * ints).all())

places = compile(TEXT, "places", target="gpu")
X, Y, Z = 2 * 4, 3 * 2, 2 * 3
to = guarded(np.zeros(X * Y * Z, np.uint32))
places(to, grid=(2, 3, 2), block=(4, 2, 3))
i = np.arange(X * Y * Z)
print("places:", (read(to) == i % X + 100 * (i // X % Y) + 10000 * (i // X // Y) + 2000000).all())

# In order on one stream; the stream of the call wins.
first, second = Stream(), Stream()
on_first = compile(TEXT, "scale<3, int>", target="gpu", stream=first)
x = guarded(ints)
on_first(x, 150, grid=3, block=64)
on_first(x, 150, grid=3, block=64)
kpack_jit.synchronize(first)
nine = (read(x) == 9 * ints).all()


class OnStream:
    """Memory that its producer is still writing to, on a stream."""
    def __init__(self, array, stream):
        self.__cuda_array_interface__ = dict(array.__cuda_array_interface__, stream=stream.cuda_stream)


waited = []
wait = _hip.synchronize
_hip.synchronize = lambda stream=None: (waited.append(stream), wait(stream))
on_first(OnStream(x, first), 150, grid=3, block=64, stream=second)  # another's
on_first(OnStream(x, first), 150, grid=3, block=64)  # its own
wait(first)
print("streams: %s, waited for %s" % (nine and (read(x) == 81 * ints).all(), waited == [first.cuda_stream]))

array = dlpack.Array(x._address, [150], code=0, device=dlpack.ROCM)
scale(array, 150, grid=3, block=64)
on_default = array.stream
on_first(array, 150, grid=3, block=64)
wait(first)
print("DLPack: %s, stream %s, on a stream %s" % ((read(x) == 729 * ints).all(), on_default,
                                               array.stream == first.cuda_stream))

add = compile(TEXT, "sum", target="gpu")
few = guarded(np.array([2, 4], np.int32))
add(few, 2, grid=1, block=2, shared=8)
print("shared memory:", read(few).tolist())


@jit(target="gpu")
def times(x: "float *", n: int, factor: Constexpr = 2):
    """int i = blockIdx.x * blockDim.x + threadIdx.x;
       if (i < n) x[i] *= factor;"""


ones = np.ones(100, np.float32)
doubled, tripled = guarded(ones), guarded(ones)
times(doubled, 100, grid=2, block=64)
times(tripled, n=100, factor=3, grid=2, block=64)
print("jit:", read(doubled).sum(), read(tripled).sum(), len(times.instances))


@jit(target=device_target(), constants={"by": 2})
def declared(x: "float *", n: int):
    """int i = blockIdx.x * blockDim.x + threadIdx.x;
       if (i < n) x[i] *= by;"""


for _ in range(2):
    declared(doubled, n=100, grid=2, block=64)
declared(doubled, 100, grid=2, block=64)
print("declared:", read(doubled).sum(), len(declared.instances))


def refused(*arguments, kernel=scale, **launch):
    try:
        kernel(*arguments, **{"grid": 1, "block": 1, **launch})
        print("accepted", arguments, launch)
    except (TypeError, ValueError, OverflowError, kpack_jit.Error) as error:
        print("%s: %s" % (type(error).__name__, error))
        if isinstance(error, kpack_jit.Error):
            print(repr(error.detail))


refused(ints, 1)
refused(dlpack.Array(ints.ctypes.data, [150], code=0), 1)
refused(doubled, 1)
refused(x, -1)
refused(x)
refused(x, 1, grid=0)
refused(x, 1, block=(1, 1, 1, 1))
refused(x, 1, stream="0")
refused(x, 1, block=100000)
# An address says nothing of whose it is; what knows is asked.
careful = compile(TEXT, "scale<3, int>", target="gpu", checks="full")
careful(x, 0, grid=1)
refused(ctypes.c_void_p(ints.ctypes.data), 0, kernel=careful)

# A function that launches a kernel of its own takes memory of both places.
both = compile(TEXT + """
int both(int *x, const int *factor, unsigned n) {
  if (*factor == 3)
    scale<3, int><<<3, 64>>>(x, n);
  return hipGetLastError();
}""", "both")
x = guarded(ints)
print("launches:", both(x, np.array([3], np.int32), 150) == 0 and (read(x) == 3 * ints).all(), type(both).__name__)

# A kernel that nobody has any more ends what it does.
heavy = compile(TEXT, "heavy", target="gpu")
result = guarded(np.ones(1, np.int32))
heavy(result, 5000, grid=1)
del heavy
gc.collect()
expected = 1
for _ in range(5000):
    expected = (expected * 3 + 1) & 0xffffffff
print("ended:", (int(read(result)[0]) & 0xffffffff) == expected)
print("compiles:", kpack_jit.stats().compiles)
