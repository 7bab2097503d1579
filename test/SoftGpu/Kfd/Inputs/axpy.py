"""Calls axpy() of a library and compares each number: axpy.py LIBRARY [THREADS]"""
import ctypes
import sys
import threading

library = ctypes.CDLL(sys.argv[1])
library.axpy.argtypes = [ctypes.c_float, ctypes.POINTER(ctypes.c_float), ctypes.POINTER(ctypes.c_float), ctypes.c_int]
wrong = []


def compute(count, factor):
    x = (ctypes.c_float * count)(*range(count))
    y = (ctypes.c_float * count)(*(count - i for i in range(count)))
    error = library.axpy(factor, x, y, count)
    if error:
        wrong.append("error %d" % error)
    # All of them are whole numbers that a float can hold.
    wrong.extend("y[%d] = %g of %d" % (i, y[i], count) for i in range(count) if y[i] != factor * i + count - i)


compute(1, 2)
compute(1000, 3)
threads = [threading.Thread(target=compute, args=(4000 + i, i)) for i in range(int(sys.argv[2]) if len(sys.argv) > 2 else 4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong[0] if wrong else "all numbers are right")
sys.exit(bool(wrong))
