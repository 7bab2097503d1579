"""What can be passed, and what is said about the rest. ../arrays.test runs it."""
import ctypes

import dlpack
import numpy as np

from kpack_jit import compile

fill = compile("void fill(float *x, float value, long n) { for (long i = 0; i < n; ++i) x[i] = value; }", "fill")
total = compile("float total(const float *x, long n) { float s = 0; for (long i = 0; i < n; ++i) s += x[i]; return s; }",
                "total")
narrow = compile("unsigned char narrow(unsigned char x) { return x; }", "narrow")
negate = compile("bool negate(bool x) { return !x; }", "negate")

x = np.zeros(2, np.float32)
fill(x, 2.5, 2)
print("float32:", total(x, 2))
x.flags.writeable = False
print("const, read-only:", total(x, np.int32(2)))
size = compile("long size(const void *p, const void *end) { return (char *)end - (char *)p; }", "size")
wide = np.zeros(4, "f8")
print("void, any type:", size(wide, wide[3:]))
sums = compile("""#include <complex>
void sums(std::complex<float> *c, _Float16 *h, bool *b) { c[0] += c[1]; h[0] += h[1]; b[0] = b[0] || b[1]; }""", "sums")
c, h, b = np.array([1 + 2j, 3 + 4j], "c8"), np.array([1, 1.5], "f2"), np.array([False, True])
sums(c, h, b)
print("complex, half, bool:", c[0], h[0], b[0])
first = compile("const float *first(const float *x) { return x; }", "first")
y = np.full(3, 2, np.float32)
print("null, address:", first(None) is None, total(ctypes.c_void_p(first(y)), 1))


class OnlyInterface:
    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__


class Freed:
    """An array of DLPack, and whether a function sees it freed."""
    def __init__(self, version):
        self.array = dlpack.Array(y.ctypes.data, [2], version=version)
        seen = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_void_p)(lambda p: self.look(p))
        # A function that calls back while it has the array.
        call = compile("float call(const void *f, const float *x) { return ((float (*)(const float *))f)(x); }", "call")
        self.sum = call(ctypes.cast(seen, ctypes.c_void_p), self.array)

    def look(self, address):
        self.freed = self.array.freed
        return (ctypes.c_float * 2).from_address(address)[0] * 2


print("interface alone:", total(OnlyInterface(y), 2))
for version, name in ((1, "1.0"), (0, "0.8")):
    f = Freed(version)
    print("DLPack %s, asked with %s: %s, freed %s, freed then %s" % (name, f.array.asked, f.sum, f.freed, f.array.freed))
steps = np.array([9, 1, 3], np.float32)
print("DLPack with an offset and strides:", total(dlpack.Array(steps.ctypes.data, [1, 2], [7, 1], offset=4), 2))
least = compile("long least(long a, long b) { return a < b ? a : b; }", "least")
print("ints:", least(-2**63, 0), narrow(np.uint8(255)), negate(np.bool_(False)), least(True + 2, 9))
same = compile("float same(float x) { return x; }", "same")
print("floats: %g %g %g" % (same(1), same(float("inf")), same(np.float64("nan"))))


def refused(function, *arguments):
    try:
        function(*arguments)
        print("accepted", arguments)
    except (TypeError, ValueError, OverflowError) as error:
        print("%s: %s" % (type(error).__name__, error))


def of_dlpack(**options):
    return dlpack.Array(y.ctypes.data, [2], options.pop("strides", None), **options)


aligned_not = np.frombuffer(bytearray(9), np.float32, 2, 1)
refused(fill, y, 1)
for array in (np.zeros(2), np.zeros(2, np.int32), np.zeros(2, [("a", "f4"), ("b", "f4")]), np.zeros(4, np.float32)[::2],
              np.zeros((2, 2), np.float32).T, np.zeros(2, ">f4"), aligned_not, x, np.float32(1), [1.0, 2.0], 7):
    refused(fill, array, 0, 0)
refused(fill, y, "1", 0)
refused(fill, y, 1e300, 0)
refused(fill, y, 1, 2.0)
refused(fill, y, 1, 2**63)
refused(narrow, -1)
refused(negate, 2)
for array in (of_dlpack(flags=1), of_dlpack(flags=2), of_dlpack(strides=[2]), of_dlpack(bits=64), of_dlpack(code=4, bits=16),
              of_dlpack(lanes=4), of_dlpack(version=2), of_dlpack(device=dlpack.ROCM),
              of_dlpack(error=BufferError("in use")), of_dlpack(capsule="no capsule")):
    refused(fill, array, 0, 0)
    # What was looked at and is not passed is freed, too.
    assert array.freed == (not array.error and not array.capsule and array.device == dlpack.CPU)
assert y.tolist() == [2, 2, 2]
