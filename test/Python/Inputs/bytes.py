# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as bytes, by hand and by pickle, in a process that can compile nothing."""
import multiprocessing
import os
import pickle

import kpack_jit


def called(executor, number):
    return executor(number, 2), os.environ["KPACK_JIT_MODE"]


def refused(data):
    try:
        kpack_jit.deserialize(data)
    except kpack_jit.Error as error:
        return error.detail.name
    return "taken"


def main():
    add = kpack_jit.compile("int add(int a, int b) { return a + b; }", "add")
    kernel = kpack_jit.compile("__global__ void k(int *p) { *p = 1; }", "k", target="gfx90a")
    data = add.serialize()
    again = kpack_jit.deserialize(data)
    print("bytes:", type(data).__name__, again(1, 2), again.signature, again.key == add.key)
    print("same bytes:", again.serialize() == data, "another program:", again.address != add.address)
    print("pickled:", pickle.loads(pickle.dumps(add))(3, 4))
    os.environ.update(KPACK_JIT_MODE="strict", KPACK_JIT_COMPILER="/nonexistent")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print("elsewhere:", pool.apply(called, (add, 1)))
    print("refused:", refused(data[:-1]), refused(b""), refused(data[:100] + b"?" + data[101:]))
    del add, again
    print(pickle.loads(pickle.dumps(kernel)), kernel.target)


if __name__ == "__main__":
    main()
