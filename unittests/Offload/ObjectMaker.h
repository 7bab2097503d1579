//===- ObjectMaker.h - ELF objects with HIP parts for tests -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes the HIP parts of an object (wrappers, what they point to, fat
// binaries, symbols) and lets yaml2obj make it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_OFFLOAD_OBJECTMAKER_H
#define KPACK_UNITTESTS_OFFLOAD_OBJECTMAKER_H

#include "TestSupport.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kpack::test {

struct ObjectMaker {
  struct Wrapper {
    std::string Symbol;
    uint64_t Addend = 0;
    uint32_t Magic = 0x48495046;
    uint64_t Reserved1 = 0;
  };
  struct Symbol {
    std::string Name;
    std::string Section = {}; // empty: undefined
    uint64_t Value = 0;
  };
  struct Section {
    std::string Name;
    std::string Contents;
    std::string Type = "SHT_PROGBITS";
  };

  std::string Machine = "EM_X86_64";
  std::string RelocationType = "R_X86_64_64";
  std::string FatBin; // .hip_fatbin, left out when empty
  std::vector<Wrapper> Wrappers;
  std::vector<Symbol> Symbols;
  std::vector<Section> More;
  bool ReverseRelocations = false;

  std::string make() const;
};

/// The bytes of section \p Name of an ELF file, and its header's fields that
/// tests look at.
struct SeenSection {
  bool Exists = false;
  std::string Contents;
  uint64_t Flags = 0, Align = 0;
};
SeenSection lookUpSection(llvm::StringRef Elf, llvm::StringRef Name);

/// What each wrapper of a relocatable file says, in file order.
struct SeenWrapper {
  uint32_t Magic;
  uint64_t Reserved1;
  std::string Symbol;
  int64_t Addend;
  bool operator==(const SeenWrapper &) const = default;
};
std::vector<SeenWrapper> getWrappers(llvm::StringRef Elf);

/// Names of undefined symbols.
std::vector<std::string> getUndefined(llvm::StringRef Elf);

} // namespace kpack::test

#endif // KPACK_UNITTESTS_OFFLOAD_OBJECTMAKER_H
