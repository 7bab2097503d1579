//===- header-only.cpp - kpack/kpack.h alone ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A C++17 user needs the header, zstd, and nothing else in front of it; with
// and without exceptions; in several translation units of a program; and a
// library of hers exports none of it.
//
// DEFINE: %{cxx} = %host_cxx -std=c++17 %sanitize -I %srcroot/include
// DEFINE: %{archive} = %srcroot/test/Archive/Inputs/good/zstd.kpack
// RUN: %host_cxx -std=c++17 -Wall -Wextra -Wpedantic -Werror -I %srcroot/include %s -lzstd -o %t
// RUN: %t %{archive} | FileCheck %s
// RUN: %host_cxx -std=c++17 -fno-exceptions -fno-rtti -O2 -I %srcroot/include %s -lzstd -o %t.noexc
// RUN: %t.noexc %{archive} | FileCheck %s
// RUN: g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I %srcroot/include %s -lzstd -o %t.gcc
// RUN: %t.gcc %{archive} | FileCheck %s
// RUN: %host_cxx -std=c++17 -Wall -Wextra -Werror -I %srcroot/include -DBY_CLASS -c %s -o %t.other.o
// RUN: %host_cxx -std=c++17 -Wall -Wextra -Werror -I %srcroot/include -DTWO_UNITS %s %t.other.o -lzstd -o %t.two
// RUN: %t.two %{archive} | FileCheck --check-prefixes=CHECK,TWO %s
// A program may also link the library that has the reader's bodies.
// RUN: %{cxx} -DTWO_UNITS -c %s -o %t.main.o
// DEFINE: %{libraries} = %libdir/libkpackArchive.a %libdir/libkpackSupport.a -lzstd
// RUN: %{cxx} -DBY_CLASS -DKPACK_ARCHIVE_LIBRARY %s %t.main.o %{libraries} -o %t.mixed
// RUN: %t.mixed %{archive} | FileCheck --check-prefixes=CHECK,TWO %s
// RUN: %host_cxx -std=c++17 -fPIC -shared -I %srcroot/include %s -lzstd -o %t.so
// DEFINE: %{not} = --implicit-check-not
// DEFINE: %{ours} = %{not}=kpack_ %{not}=ArchiveReader %{not}=MappedFile
// RUN: llvm-nm -D --defined-only %t.so | FileCheck --check-prefix=EXPORTS %{ours} %s
//
// CHECK: 1 /nonexistent: cannot open: No such file or directory
// CHECK: bytes: {{[1-9]}}
// TWO: by the class: {{[1-9]}}
// EXPORTS: main
//
//===----------------------------------------------------------------------===//
#ifdef BY_CLASS
#include <kpack/Archive/ArchiveReader.h>

unsigned long bytesByClass(const char *Path) {
  auto Reader = kpack::ArchiveReader::open(Path);
  unsigned long Bytes = 0;
  if (Reader)
    for (const kpack::ArchiveEntry &Entry : (*Reader)->entries())
      if (auto Content = (*Reader)->read(Entry))
        Bytes += Content->size();
  return Bytes;
}
#else
#include <kpack/kpack.h>

extern "C" int printf(const char *, ...);

#ifdef TWO_UNITS
unsigned long bytesByClass(const char *Path);
#endif

int main(int Argc, char **Argv) {
  kpack_archive_t Archive = nullptr;
  kpack_error_t Error = kpack_open("/nonexistent", &Archive);
  printf("%d %s\n", Error, kpack_get_last_error(nullptr));
  if (Argc != 2 || kpack_open(Argv[1], &Archive) != KPACK_SUCCESS)
    return 1;
  const void *Bytes = nullptr;
  size_t Size = 0;
  if (kpack_get_kernel(Archive, "lib.so", "gfx1100", &Bytes, &Size) !=
      KPACK_SUCCESS)
    return 1;
  printf("bytes: %d\n", static_cast<int>(Size));
  kpack_free_kernel(Archive, Bytes);
  kpack_close(Archive);
#ifdef TWO_UNITS
  printf("by the class: %lu\n", bytesByClass(Argv[1]));
#endif
}
#endif
