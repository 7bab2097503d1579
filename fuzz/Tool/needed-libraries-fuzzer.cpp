//===- needed-libraries-fuzzer.cpp - fuzzer of doctor's library search ----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `kpack doctor` reads of a program to find its libraries, and the search
// for them. An input that begins as a cache of the dynamic linker is read as
// one, too.
//
//===----------------------------------------------------------------------===//
#include "../InputFile.h"
#include "Tool/Doctor/NeededLibraries.h"

#include "ToolSupport/ElfFile.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace llvm;
using namespace kpack;
using namespace kpack::tool;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const InputFile Program;
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  NeededLibraries Search(LinkerCache::parse(Bytes), /*LibraryPath=*/"");
  LoadedLibraries Found = Search.of(Program.with({Bytes.data(), Bytes.size()}));
  std::optional<NeededNames> Names = readNeededNames(Bytes);
  if (!Names && !Found.All.empty())
    std::abort();
  for (const NeededLibrary &Library : Found.All)
    if (Library.Name.empty() || Library.Name.size() > 4096)
      std::abort();
  return 0;
}
