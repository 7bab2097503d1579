// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In front of libkpack_jit.so: kernels that are compiled are also left in the
// folder CARRIED_TO, and with CARRIED_FROM they come from there, so that a
// machine without a compiler has them. Files are numbered in the order of
// compiles, which must be the same in both programs.
#include <kpack/kpack_jit.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>

using Compile = kpack_jit_status(kpack_jit_cache *,
                                 const kpack_jit_program_source *, unsigned,
                                 kpack_jit_program **);

static std::string nextFile(const char *Folder) {
  static int Number = 0;
  return std::string(Folder) + "/" + std::to_string(Number++) + ".ptx";
}

/// Kernels are asked for by their places.
static void checkOrder(const kpack_jit_program *P,
                       const kpack_jit_program_source *Source) {
  for (size_t I = 0; I < Source->entry_count; ++I) {
    const char *Symbol = nullptr;
    if (kpack_jit_program_entry(P, I, nullptr, &Symbol, nullptr) != 0 ||
        std::strcmp(Symbol, Source->entries[I].expression) != 0) {
      std::printf("error: kernel %zu is not %s\n", I,
                  Source->entries[I].expression);
      std::exit(1);
    }
  }
}

extern "C" kpack_jit_status
kpack_jit_compile(kpack_jit_cache *Cache,
                  const kpack_jit_program_source *Source, unsigned Flags,
                  kpack_jit_program **Program) {
  if (const char *Folder = std::getenv("CARRIED_FROM")) {
    std::ifstream File(nextFile(Folder), std::ios::binary);
    std::string Image(std::istreambuf_iterator<char>(File), {});
    kpack_jit_status Code = kpack_jit_program_of_image(
        Image.data(), Image.size(), "carried", Program);
    if (Code == 0)
      checkOrder(*Program, Source);
    return Code;
  }
  auto *Real =
      reinterpret_cast<Compile *>(::dlsym(RTLD_NEXT, "kpack_jit_compile"));
  kpack_jit_status Code = Real(Cache, Source, Flags, Program);
  const char *Folder = std::getenv("CARRIED_TO");
  kpack_jit_program_info Info{};
  Info.size = sizeof(Info);
  if (Folder && Code == 0 && kpack_jit_program_get_info(*Program, &Info) == 0 &&
      Info.image)
    std::ofstream(nextFile(Folder), std::ios::binary)
        .write(static_cast<const char *>(Info.image),
               static_cast<std::streamsize>(Info.image_size));
  return Code;
}
