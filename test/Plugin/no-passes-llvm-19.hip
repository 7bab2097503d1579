// REQUIRES: llvm-19
// LLVM 19 has no callback before code generation: with -disable-llvm-passes the
// pass plugin gets to see nothing, which it says. (one-run.hip has the frontend
// plugin in the same mode, where it works.)

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang++ %hipflags --offload-arch=gfx1100 -fpass-plugin=%kpack_plugin -Xclang -disable-llvm-passes -c %S/Inputs/vadd.hip -o x.o 2>&1 | FileCheck %s
// CHECK: warning: KpackPlugin.so: no pass ran, a HIP object stays fat; drop -disable-llvm-passes, or use -fplugin= with ClangKpack.so
