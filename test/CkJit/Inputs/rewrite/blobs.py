# Writes blobs for api.cpp into the current folder, but for those named as
# arguments ("run_3"). All of them use the same names for different types.
import sys

CALLS = [("run", n) for n in (1, 2, 3, 5, 6, 7, 8, 16)] + [("name", 16), ("step", 1)]
HEADS = {"run": "float run<trait_0>(const stream &, args) { return helper_%d(); }",
         "name": "std::string name<trait_0>() { return nonsense; }",
         "step": "void step<trait_0>(const stream &, args &&, const int (&)[2]) {}"}
for function, size in CALLS:
    stem = "%s_%d" % (function, size)
    if stem in sys.argv[1:]:
        continue
    head = HEADS[function].replace("%d", str(size))
    with open(stem + ".cpp", "w") as f:
        f.write('#include "lib.h"\nusing trait_0 = lib::traits<%d, true>;\nnamespace lib {\n'
                'template <> %s\n}\n' % (size, head))
