"""What is refused, and how it is said. ../errors.test runs it."""
import ctypes
import inspect
import math

import dlpack
import numpy as np

import kpack_jit
from annotated import scaled
from kpack_jit import Constexpr, compile, jit


def refused(what):
    try:
        print("accepted", what())
    except (TypeError, ValueError, OverflowError, NameError, kpack_jit.Error) as error:
        print("%s: %s" % (type(error).__name__, error))
        if isinstance(error, kpack_jit.Error):
            print(repr(error.detail))
    print("--")


refused(lambda: compile("int f(int a) { return b; }", "f"))
refused(lambda: compile("int f(int a) { return a; }", "f", "int (long)"))


@jit(prelude="#include <cstddef>\n// three\n// lines")
def placed(x: int) -> int:
    """
    int y = x;
    return y + missing;
    """


@jit
def escaped():
    """__builtin_printf("a line\n");"""


@jit(prelude="int wrong = ;")
def before():
    """return wrong;"""


refused(before)
refused(lambda: placed(1))
lines, first = inspect.getsourcelines(placed)
print("line of the body:", first + next(i for i, line in enumerate(lines) if "missing" in line))
refused(escaped)

refused(lambda: compile("struct S {}; int f(S) { return 0; }", "f"))
refused(lambda: compile("int f(float *const *) { return 0; }", "f"))
refused(lambda: compile("int f(int &) { return 0; }", "f"))
refused(lambda: compile("int f(int, ...) { return 0; }", "f"))
refused(lambda: compile("int f(_Float16) { return 0; }", "f"))
refused(lambda: compile("_Float16 f() { return 0; }", "f"))
refused(lambda: compile("int f(void (*)(int)) { return 0; }", "f"))


def bare(x: int):
    pass


def listed(x: list):
    """return x;"""


def many(*xs: int):
    """return xs;"""


@jit
def add(x, y):
    """return x + y;"""


@jit(uses=["nowhere"])
def uses(x: int):
    """return x;"""


for function in (bare, listed, many):
    refused(lambda: jit(function))
refused(lambda: add(1))
refused(lambda: add("1", 2))
refused(lambda: uses(1))
identity = "int f() { return 0; }"
refused(lambda: compile(identity, "f", constants={"n": [1]}))


@jit
def typed(n: Constexpr["unsigned char"]):
    """return n;"""


refused(lambda: typed(300))
refused(lambda: compile(identity, "f", constants={"a b": 1}))
refused(lambda: compile(identity, "f", flags=["-fplugin=x.so"]))
refused(lambda: compile(identity, "f", flags="-g"))
refused(lambda: compile(identity + "\0", "f"))
refused(lambda: kpack_jit.Cache("/tmp", mode="fast"))

# Times are no numbers.
times = np.array(["2026-11-29"], "datetime64[ns]")
for type_, value in (("long *", times), ("float *", times), ("void *", times[::-1]), ("long", times[0]),
                     ("double", times[0]), ("long", np.timedelta64(1, "s"))):
    refused(lambda: compile("void f(%s) {}" % type_, "f")(value))
refused(lambda: add(times, 1))
refused(lambda: add(1, times[0]))
refused(lambda: compile(identity, "f", constants={"n": times[0]}))

# Constants arrive as they are.
values = {"b": True, "i": 7, "l": -2**63, "d": 2.5, "f": np.float32(0.1), "t": "text?\"\\\n\u00e9", "n": float("nan")}
texts = {"b": "bool", "i": "int", "l": "long", "d": "double", "f": "float", "n": "double"}
found = {name: compile("%s get() { return %s; }" % (type_, name), "get", constants=values)()
         for name, type_ in texts.items()}
address = compile("const char *get() { return t; }", "get", constants=values)
text = ctypes.string_at(address()).decode()
assert math.isnan(found["n"])
print("constants:", found["b"], found["i"], found["l"], found["d"], "%.7g" % found["f"], text[:5], text == values["t"],
      found["n"])


@jit
def annotated(s: ctypes.c_short, p: "const float *", d: np.float64, b: bool, v: ctypes.c_void_p) -> int:
    """return s;"""


print("annotations: %s, future: %s" % (annotated.get(1, None, 1.0, True, None).signature,
                                       scaled.get(np.zeros(2, np.float32), 2.0, 1).signature))

# Compiled for a GPU that is not here.
cuda = compile("__global__ void none(float *x) { x[0] = 1; }", "none", target="sm_90")
print("for CUDA:", type(cuda).__name__, cuda.target, cuda.signature)
refused(lambda: cuda(np.zeros(1, np.float32), grid=1))
# Launches that are none.
refused(lambda: cuda(None))
refused(lambda: cuda(None, grid=2.5))
refused(lambda: cuda(None, grid=(1, "2")))
refused(lambda: cuda(None, grid=np.int64(0)))
refused(lambda: cuda(None, grid=np.uint8(1), block=np.array([1, 1, -1])))
refused(lambda: cuda(None, grid=1, shared=2.5))
on_cuda = dlpack.Array(4096, [1], device=dlpack.CUDA)
refused(lambda: cuda(on_cuda, grid=1))
print("stream:", on_cuda.stream)
outcomes = kpack_jit.compile_all([(add, 1, 2), ("none", "f")], return_exceptions=True)
print("both:", outcomes[0](1, 2), "and", type(outcomes[1]).__name__)
