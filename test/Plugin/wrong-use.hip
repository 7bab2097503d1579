// Nothing stays fat in silence: a plugin that cannot work says so.

// DEFINE: %{clang} = %clang++ %hipflags --offload-arch=gfx1100 %S/Inputs/vadd.hip

// RUN: rm -rf %t && mkdir %t && cd %t

// clang loads a pass plugin given to -fplugin= and never calls it.
// RUN: not %{clang} -fplugin=%kpack_plugin -c -o x.o 2>&1 | FileCheck %s --check-prefix=NOT-PASS
// RUN: not ls x.o
// NOT-PASS: error: KpackPlugin.so: loaded, but not as a pass plugin; give it to -fpass-plugin=, or ClangKpack.so to -fplugin=
// The right way is quiet even when nothing is compiled.
// RUN: %{clang} --offload-host-only -fpass-plugin=%kpack_plugin -fsyntax-only 2>&1 | count 0
// RUN: %{clang} --offload-host-only -fpass-plugin=%kpack_plugin -E -o x.ii 2>&1 | count 0

// And the other way round.
// RUN: not %{clang} -fpass-plugin=%clang_kpack -c -o x.o 2>&1 | FileCheck %s --check-prefix=NOT-FRONTEND
// RUN: not opt -load-pass-plugin=%clang_kpack -passes=verify /dev/null -o x.bc 2>&1 | FileCheck %s --check-prefix=OPT
// NOT-FRONTEND: error: unable to load plugin '{{.*}}ClangKpack.so'
// OPT: ould not load library '{{.*}}ClangKpack.so'

// RUN: not %{clang} -fplugin=%clang_kpack -fplugin-arg-kpack-out=x -c -o x.o 2>&1 | FileCheck %s --check-prefix=ARG
// ARG: error: ClangKpack.so: unknown argument 'out=x'; the plugin takes none, drop -fplugin-arg-kpack-out=x

// Not HIP: nothing to do, nothing to say.
// RUN: echo 'int f() { return 0; }' >f.cpp
// RUN: %clang++ -fpass-plugin=%kpack_plugin -fplugin=%clang_kpack -Werror -c f.cpp -o with.o 2>&1 | count 0
// RUN: %clang++ -c f.cpp -o without.o
// RUN: cmp with.o without.o
