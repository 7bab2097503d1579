"""What a program in C++ has compiled is in the cache of its folder (argument)."""
import sys

import kpack_jit

add = kpack_jit.compile("int add(int b) { return a + b; }", "add", "int (int)", constants={"a": 3},
                        cache=kpack_jit.Cache(sys.argv[1], mode="strict"))
print("of C++:", add(2))
