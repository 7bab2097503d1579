//===- Mutations.h - mutations of linked binaries ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What host-mutations and convert-mutations have in common: which parts of a
// linked file are worth a change, the changes, and children that load what has
// come out. The same numbers in, the same mutants out.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_HOSTREWRITE_MUTATIONS_H
#define KPACK_UNITTESTS_HOSTREWRITE_MUTATIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace kpack::mutations {

using Random = std::mt19937_64;

/// A part of a file that is changed more often than others.
struct Region {
  uint64_t Offset, Size;
  /// What is wrong here is to be seen without the original.
  bool IsStructure;
};

struct Input {
  std::string Path, Bytes;
  std::vector<Region> Regions;
  Region Dynamic = {0, 0, true};
  bool IsProgram = false;
};

/// A mutant, and what was changed.
struct Mutant {
  std::string Bytes, Changes;
  bool IsStructural = true;
};

/// The file \p Bytes, a 64-bit little-endian ELF one that is sound, and its
/// headers, dynamic table, what that leads to, wrappers, and all else.
Input inputOf(std::string Path, std::string Bytes);

/// Writes another number of one to eight bytes somewhere into a region.
void changeOnce(Mutant &M, const Input &In, Random &R);
/// Leaves the end of the file away.
void cutOff(Mutant &M, Random &R);

/// Bytes of memory that all PT_LOAD, and PT_TLS, ask for.
uint64_t getMemory(llvm::StringRef Bytes);

/// A new file that may be executed.
bool writeFile(const std::string &Path, llvm::StringRef Bytes);

/// Whether \p Body says yes, in a child that has \p Seconds for it; what it
/// writes goes to the file \p Log.
bool livesInChild(const std::string &Log, unsigned Seconds,
                  llvm::function_ref<bool()> Body);
/// Becomes the program at \p Path, at the same addresses each time; for the
/// above.
bool runHere(const std::string &Path);

} // namespace kpack::mutations

#endif // KPACK_UNITTESTS_HOSTREWRITE_MUTATIONS_H
