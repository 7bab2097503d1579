"""An executor, a cache of the program's own, and instances by constants; what each
compiles, with the cache of the process. ../caching.test runs it."""
import kpack_jit
from kpack_jit import Constexpr, jit


@jit
def add_print(a: int, b: int, print_result: Constexpr) -> int:
    r"""if constexpr (print_result)
          __builtin_printf("Result: %d\n", a + b);
        return a + b;"""


@jit(prelude="extern \"C\" int fflush(void *);")
def flush() -> int:
    """return fflush(nullptr);"""


@jit(uses=["a"])
def add(b: int) -> int:
    """return a + b;"""


@jit
def twice(x, y):
    """return x + y;"""


executor = kpack_jit.compile(add_print, 1, 2, True)
result = executor(1, 2)
flush()  # what C has printed, before what Python prints
print("executor: %d, %s" % (result, executor.signature), flush=True)
print("implicit: %d, the same program %s, the same object %s" % (
    add_print(1, 2, False), add_print.get(1, 2, True).key == executor.key,
    add_print.get(1, 2, False) is add_print.get(3, 4, False)))

custom_cache = {}
a = 1
custom_cache[1] = kpack_jit.compile(add, 2)
results = [custom_cache[1](2)]
a = 2
custom_cache[2] = kpack_jit.compile(add, 2)
results.append(custom_cache[2](2))
results += [custom_cache[1](2), custom_cache[2](2)]
print("mine:", *results)

for a in (1, 1, 2):
    print("call: %d, instances %d" % (add(2), len(add.instances)))

print("types:", twice(2, 3), twice(2.0, 3.5), len(twice.instances), "instances")



@jit
def bytes_of(n: Constexpr) -> int:
    """return sizeof(n);"""


print("equal, but not the same:", bytes_of(1), bytes_of(True), bytes_of(1.0), bytes_of(1), len(bytes_of.instances))

text = "int known(int x) { return x + 1; }"
before = kpack_jit.try_get(text, "known")
kept = kpack_jit.compile(text, "known")
print("unknown: %s, known: %d" % (before, kpack_jit.try_get(text, "known")(40)))

told = kpack_jit.explain(text, "known")
other = kpack_jit.explain(text.replace("1", "2"), "known")
print("explained:", told.is_cached, told.key == kept.key, "source" in told.fields,
      other.is_cached, other.nearest == told.key, [d.meaning for d in other.differences],
      bytes_of.explain(1).is_cached, bytes_of.explain("no").is_cached)

squares = ["int square(int n) { return n * n + 0 * %d; }" % n for n in range(5)]
try:
    kpack_jit.compile_all([("no text of C++", "f"), (squares[0], "square")])
    failure = None
except kpack_jit.CompileError as error:
    failure = error
except kpack_jit.Error as error:  # strict: it is not compiled
    failure = kpack_jit.CompileError(str(error)) if error.code == 5 else error
made = kpack_jit.compile_all([(square, "square") for square in squares])
print("all:", *[f(n) for n, f in enumerate(made)], end=", %s\n" % type(failure).__name__)
print("compiles:", kpack_jit.stats().compiles)
