// A plugin in a compiler of another LLVM major version. A library that is
// loaded first stands in for the other compiler: it answers for LLVM's version.

// DEFINE: %{clang} = %clang++ %hipflags --offload-arch=gfx1100 -cuid=k %S/Inputs/vadd.hip

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: echo 'void LLVMGetVersion(unsigned *a, unsigned *b, unsigned *c) { *a = 99; }' >other.c
// RUN: %clang++ -x c -shared -fPIC other.c -o other.so

// RUN: not env LD_PRELOAD=./other.so %{clang} -fpass-plugin=%kpack_plugin -c -o x.o 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: error: KpackPlugin.so: made for LLVM [[MAJOR:[0-9]+]], loaded by LLVM 99; use the plugin of a kpack built with -DKPACK_LLVM_VERSION=99
// PASS: error: unable to load plugin '{{.*}}KpackPlugin.so'
// RUN: not env LD_PRELOAD=./other.so %{clang} -fplugin=%clang_kpack -c -o x.o 2>&1 | FileCheck %s --check-prefix=FRONTEND
// FRONTEND: error: ClangKpack.so: made for LLVM [[MAJOR:[0-9]+]], loaded by LLVM 99; use the plugin of a kpack built with -DKPACK_LLVM_VERSION=99
// RUN: not env LD_PRELOAD=./other.so opt -load-pass-plugin=%kpack_plugin -passes=kpack /dev/null -o x.bc 2>&1 | FileCheck %s --check-prefix=OPT
// OPT: error: KpackPlugin.so: made for LLVM [[MAJOR:[0-9]+]], loaded by LLVM 99
// RUN: not ls x.o x.bc
