"""Compiles each header of a folder alone, with each of the compilers, after macros such as programs have.

headers.py FOLDER COMPILER...; exit 1 if one does not compile."""
import concurrent.futures
import os
import subprocess
import sys

CXX20 = ("kpack/ConvBuilder/", "kpack/Jit/", "kpack/JitGraph/")
# Programs in C include these.
C11 = ("rocm_kpack/kpack.h", "rocm_kpack/kpack_types.h", "rocm_kpack/kpack_export.h", "kpack/kpack_jit.h",
       "kpack/kpack_jit_graph.h", "kpack/kpack.h", "kpack/ConvBuilder/CApi.h")
# Refuses to be included by others than kpack/kpack.h.
PARTS = ("kpack/detail/RfcApi.h",)
# Names that programs give to macros, so that no header can give them to anything.
MACROS = ("-DT=1", "-DN=1", "-DK=1")


def ways(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(place, name), folder)
            if path.endswith(".h") and path not in PARTS:
                yield path, ["-x", "c++", "-std=c++20" if path.startswith(CXX20) else "-std=c++17"]
                if path in C11:
                    yield path, ["-x", "c", "-std=c11"]


def problem_of(folder, compiler, path, language):
    run = subprocess.run([compiler, *language, *MACROS, "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                          "-I", folder, "-"],
                         input='#include "%s"\n' % path, text=True, stderr=subprocess.PIPE)
    if run.returncode == 0:
        return None
    lines = [line for line in run.stderr.splitlines() if "error:" in line] or ["ended with %d" % run.returncode]
    return "headers: error: %s: %s: %s" % (path, compiler, lines[0])


def main(folder, *compilers):
    jobs = [(folder, compiler, *way) for way in sorted(ways(folder)) for compiler in compilers]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        problems = [problem for problem in pool.map(lambda job: problem_of(*job), jobs) if problem]
    print("\n".join(problems + ["%d compiled, %d failed" % (len(jobs), len(problems))]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
