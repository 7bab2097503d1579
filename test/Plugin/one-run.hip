// One ordinary compile with stock clang and a plugin, in every mode in which
// clang writes an object: the bundle that was embedded has left the object, the
// code objects ride in .kpack.devobj as they are.

// DEFINE: %{clang} = %clang++ %hipflags --offload-arch=gfx1100 --offload-arch=gfx90a:xnack+ -cuid=k
// DEFINE: %{check} = %S/Inputs/check-object.sh x.o 9488b5226bb1e48c

// RUN: rm -rf %t && mkdir %t && cd %t

// What stock clang makes of the same source for the same target. -save-temps
// changes device code, so it has expectations of its own.
// DEFINE: %{opt} =
// DEFINE: %{into} =
// DEFINE: %{expect} = %{clang} %{opt} --offload-device-only --no-gpu-bundle-output -c %S/Inputs/vadd.hip && mkdir %{into} && \
// DEFINE:   mv vadd-hip-*-gfx1100.out %{into}/gfx1100.co && mv vadd-hip-*-gfx90a:xnack+.out %{into}/gfx90a:xnack+.co
// REDEFINE: %{opt} = -O0
// REDEFINE: %{into} = O0
// RUN: %{expect}
// REDEFINE: %{opt} = -O2
// REDEFINE: %{into} = O2
// RUN: %{expect}
// REDEFINE: %{opt} = -O0 -save-temps
// REDEFINE: %{into} = O0-temps
// RUN: %{expect}
// REDEFINE: %{opt} = -O2 -save-temps
// REDEFINE: %{into} = O2-temps
// RUN: %{expect}
// REDEFINE: %{opt} = -O2 -Xclang -disable-llvm-passes
// REDEFINE: %{into} = no-passes
// RUN: %{expect}

// The pass plugin.
// DEFINE: %{pass} = %{clang} -fpass-plugin=%kpack_plugin %S/Inputs/vadd.hip -o x.o
// RUN: %{pass} -c -O0 && %{check} O0
// RUN: %{pass} -c -O2 && %{check} O2
// RUN: %{pass} -c -O2 -fPIC && %{check} O2
// RUN: %{pass} -c -O2 -Xarch_host -g && %{check} O2
// RUN: %{pass} -c -O0 -save-temps && %{check} O0-temps
// RUN: %{pass} -c -O2 -save-temps && %{check} O2-temps
// RUN: %if llvm-22 %{ %{pass} -c -O2 -Xclang -disable-llvm-passes && %{check} no-passes %}
// RUN: %{pass} -c -O2 -flto -ffat-lto-objects && %{check} O2
// RUN: %{pass} -c -O2 -flto=thin -ffat-lto-objects && %{check} O2
// RUN: %{pass} -c -O2 --offload-compress && %{check} O2

// The frontend plugin.
// DEFINE: %{frontend} = %{clang} -fplugin=%clang_kpack %S/Inputs/vadd.hip -o x.o
// RUN: %{frontend} -c -O0 && %{check} O0
// RUN: %{frontend} -c -O2 && %{check} O2
// RUN: %{frontend} -c -O0 -save-temps && %{check} O0-temps
// RUN: %{frontend} -c -O2 -save-temps && %{check} O2-temps
// RUN: %{frontend} -c -O2 -Xclang -disable-llvm-passes && %{check} no-passes
// RUN: %{frontend} -c -O2 --offload-compress && %{check} O2

// Both at once do no harm.
// RUN: %{frontend} -fpass-plugin=%kpack_plugin -c -O2 && %{check} O2
