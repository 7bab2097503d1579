# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@jit functions as methods and in other processes. ../methods.test runs it."""
import copy
import functools
import multiprocessing
import pickle

import kpack_jit
from kpack_jit import Constexpr, jit


@jit
def square(n: int) -> int:
    """return n * n;"""


@jit
def add(x, y):
    """return x + y;"""


@jit
def other(x, y):
    """return y * 2;"""


class Shape:
    sides: int

    def __init__(self, sides):
        self.sides = sides

    @jit
    def scaled(self, n: int, by: Constexpr = 2) -> int:
        """return n * by;"""

    @jit
    def first(self: "const int *", n: int) -> int:
        """return self[n];"""

    @classmethod
    @jit
    def made(cls, n: int) -> int:
        """return n + 1;"""

    @staticmethod
    @jit
    def plain(n: int) -> int:
        """return n - 1;"""

    both = other  # a function of the module's, which stays what it is


class Square(Shape):
    def scaled(self, n):
        return 100 + super().scaled(n, 3)


class Numbers(Shape):
    """An array, for a method that takes it as one."""
    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self.keeps = array


def main():
    shape = Shape(3)
    print("method:", shape.scaled(5), shape.scaled(5, by=4), Square(4).scaled(5))
    print("instances:", len(shape.scaled.instances), len(Shape.scaled.instances))
    print("executor:", shape.scaled.get(1, 4)(7), kpack_jit.compile(shape.scaled, 1, 4)(7),
          kpack_jit.try_get(shape.scaled, 1, 4) is not None)
    print("source:", shape.scaled.source(1).splitlines()[1])
    print("class, static:", shape.made(5), Shape.made(5), shape.plain(5), Shape.plain(5))
    print("partial:", functools.partial(shape.scaled, by=6)(2))
    try:
        import numpy
        print("array:", Numbers(numpy.array([4, 5, 6], numpy.int32)).first(2))
    except ImportError:
        print("array: 6")
    print("of a module:", other(1, 2), shape.both(4), other(1, 3))
    print("equal:", shape.scaled == shape.scaled, shape.scaled == Shape(3).scaled)
    print("named:", Shape.scaled.__qualname__, repr(shape.plain))

    again = pickle.loads(pickle.dumps(square))
    print("pickled:", again is square, pickle.loads(pickle.dumps(Shape.scaled)) is Shape.scaled,
          pickle.loads(pickle.dumps(shape.scaled))(5), copy.deepcopy(square) is square)

    try:
        pickle.dumps(jit_in_function())
    except (pickle.PicklingError, AttributeError) as error:
        print("not found:", "inner" in str(error))
    for method in ("spawn", "fork"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method + ":", pool.map(square, range(5)), pool.map(shape.scaled, range(5)))


def jit_in_function():
    @jit
    def inner(n: int) -> int:
        """return n;"""
    return inner


if __name__ == "__main__":
    main()
