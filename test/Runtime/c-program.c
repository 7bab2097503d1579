/*===- c-program.c - both C APIs from C --------------------------------===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* One C11 program with a translation unit for each header, linked with
|* libkpack.a and librocm_kpack.so: each call reaches the function that its
|* header means.
|*
|* RUN: rm -rf %t && mkdir %t
|* RUN: %host_cc -std=c11 -Wall -Wextra -pedantic-errors -Werror %sanitize -I %srcroot/include -DRFC -c %s -o %t/rfc.o
|* RUN: %host_cc -std=c11 -Wall -Wextra -pedantic-errors -Werror %sanitize -I %srcroot/include -c %s -o %t/rocm.o
|* RUN: %host_cxx %sanitize %t/rfc.o %t/rocm.o %libdir/libkpack.a %libdir/librocm_kpack.so -Wl,-rpath,%libdir -lzstd -o %t/program
|* RUN: printf 'KPAK\001\0\0\0\100\0\0\0\0\0\0\0' > %t/x.kpack
|* RUN: head -c 48 /dev/zero >> %t/x.kpack
|* RUN: printf '\201\252gfx_arches\221\246gfx942' >> %t/x.kpack
|* RUN: %t/program %t/x.kpack | FileCheck %s
|*
|* C99 too, and gcc where the build uses clang:
|* RUN: gcc -std=c99 -Wall -Wextra -pedantic-errors -Werror -I %srcroot/include -DRFC -fsyntax-only %s
|* RUN: gcc -std=c99 -Wall -Wextra -pedantic-errors -Werror -I %srcroot/include -fsyntax-only %s
|*
|* CHECK: rocm: missing file 2, 1 architectures, no kernel 5
|* CHECK: rfc: missing file 1, gfx942, no kernel 5
|* CHECK: rfc says: {{.*}}x.kpack: no code object 'a' for 'gfx942'
|* CHECK: rfc null: 64
|*
\*===----------------------------------------------------------------------===*/
#include <stdio.h>

#ifdef RFC
#include <kpack/kpack.h>

void rfc(const char *Path) {
  kpack_archive_t Archive = NULL;
  const char **Archs = NULL;
  const void *Bytes = NULL;
  size_t N = 0;
  kpack_error_t Missing = kpack_open("/nonexistent", &Archive);
  if (kpack_open(Path, &Archive) != KPACK_SUCCESS)
    return;
  kpack_get_architectures(Archive, &Archs, &N);
  printf("rfc: missing file %d, %s, no kernel %d\n", (int)Missing, Archs[0],
         (int)kpack_get_kernel(Archive, "a", "gfx942", &Bytes, &N));
  printf("rfc says: %s\n", kpack_get_last_error(Archive));
  kpack_free_kernel(Archive, NULL);
  kpack_close(Archive);
  printf("rfc null: %d\n", (int)kpack_open(NULL, NULL));
}
#else
#include <rocm_kpack/kpack.h>

void rfc(const char *Path);

static bool count(const char *Arch, void *Number) {
  (void)Arch;
  ++*(int *)Number;
  return true;
}

int main(int Argc, char **Argv) {
  kpack_archive_t Archive = NULL;
  void *Bytes = NULL;
  size_t N = 0;
  int Archs = 0;
  kpack_error_t Missing = kpack_open("/nonexistent", &Archive);
  if (Argc != 2 || kpack_open(Argv[1], &Archive) != KPACK_SUCCESS)
    return 1;
  kpack_enumerate_architectures(Argv[1], count, &Archs);
  printf("rocm: missing file %d, %d architectures, no kernel %d\n",
         (int)Missing, Archs,
         (int)kpack_get_kernel(Archive, "a", "gfx942", &Bytes, &N));
  kpack_close(Archive);
  rfc(Argv[1]);
  return 0;
}
#endif
