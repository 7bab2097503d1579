"""Calls from several threads. ../threads.test runs it."""
import gc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import kpack_jit
from kpack_jit import jit


@jit
def square(n: int) -> int:
    """return n * n;"""


@jit
def wait(flag: "const int *") -> int:
    """
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
      ;
    return *flag;
    """


together = threading.Barrier(8)


def first_call(n):
    together.wait()
    return square(n), square.get(n)


with ThreadPoolExecutor(8) as pool:
    results = list(pool.map(first_call, range(8)))
print("results: %s, instances %d, objects %d, compiles %d" % (
    [result for result, _ in results], len(square.instances), len({id(f) for _, f in results}),
    kpack_jit.stats().compiles))

wait.get(None)
flag, waited = np.zeros(1, np.int32), []
thread = threading.Thread(target=lambda: waited.append(wait(flag)))
thread.start()
flag[0] = 7
thread.join()
print("waited:", *waited)



def mapped():
    """Files of the small cache that are mapped."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return len({line.split()[-1] for line in maps if sys.argv[1] in line})


# What nobody holds is unmapped; what is held is what it was.
small = kpack_jit.Cache(sys.argv[1], max_programs=1)
made = [kpack_jit.compile("int get() { return n; }", "get", constants={"n": n}, cache=small) for n in range(7)]
before = mapped()
kept = made[:2]
del made
gc.collect()
print("programs: %d, then %d; kept: %s" % (before, mapped(), [get() for get in kept]))
