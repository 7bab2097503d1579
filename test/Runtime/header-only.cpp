//===- header-only.cpp - kpack/kpack.h alone ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A C++17 user needs the header, zstd, and nothing else in front of it; with
// and without exceptions; and a library of hers exports none of it.
//
// RUN: %host_cxx -std=c++17 -Wall -Wextra -Wpedantic -Werror -I %srcroot/include %s -lzstd -o %t
// RUN: %t | FileCheck %s
// RUN: %host_cxx -std=c++17 -fno-exceptions -fno-rtti -O2 -I %srcroot/include %s -lzstd -o %t.noexc
// RUN: %t.noexc | FileCheck %s
// RUN: g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I %srcroot/include %s -lzstd -o %t.gcc
// RUN: %t.gcc | FileCheck %s
// RUN: %host_cxx -std=c++17 -fPIC -shared -I %srcroot/include %s -lzstd -o %t.so
// RUN: llvm-nm -D --defined-only %t.so | FileCheck --check-prefix=EXPORTS --implicit-check-not=kpack_ --implicit-check-not=ArchiveReader --implicit-check-not=MappedFile %s
//
// CHECK: 1 /nonexistent: cannot open: No such file or directory
// EXPORTS: main
//
//===----------------------------------------------------------------------===//
#include <kpack/kpack.h>

extern "C" int printf(const char *, ...);

int main() {
  kpack_archive_t Archive = nullptr;
  kpack_error_t Error = kpack_open("/nonexistent", &Archive);
  printf("%d %s\n", Error, kpack_get_last_error(nullptr));
  kpack_close(Archive);
}
