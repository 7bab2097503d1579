//===- NameStream.h - lld's messages with the user's names ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld reads replaced inputs from /proc/self/fd/N and writes a temporary output.
// Its messages go through a stream that substitutes the names of the command
// line, line by line, and detects undefined __hip_fatbin symbols: they mean
// that the kpack step is missing or has not seen a file.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_NAMESTREAM_H
#define KPACK_LIB_LINKER_NAMESTREAM_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace kpack::linker {

/// Pairs of a temporary name and the user's name for it.
class NameTable {
public:
  void clear();
  void add(std::string Ours, std::string Users);

  /// Returns the user's name for \p Name if it is one of ours; compares whole
  /// names.
  llvm::StringRef userName(llvm::StringRef Name) const;
  /// Replaces our names in \p Text. Makes one pass for all memory files
  /// together: a map file is long and contains thousands of names.
  std::string apply(llvm::StringRef Text) const;

private:
  /// The user's name by the name of a memory file.
  llvm::StringMap<std::string> MemoryFiles;
  std::vector<std::pair<std::string, std::string>> Others; // a handful
};

class NameStream : public llvm::raw_ostream {
public:
  /// With \p HoldBack the lines from the first undefined __hip_fatbin symbol on
  /// wait for release() or restart().
  NameStream(llvm::raw_ostream &Target, const NameTable &Names, bool HoldBack)
      : Target(Target), Names(Names), HoldBack(HoldBack) {
    SetUnbuffered();
  }
  ~NameStream() override { release(); }

  bool missedFatBin() const { return MissedFatBin; }
  bool repeatedCuid() const { return RepeatedCuid; }

  /// Prints the lines held back.
  void release();

  /// Drops the lines held back for another run of lld. That run repeats the
  /// lines that were printed; they are not printed twice.
  void restart();

  bool has_colors() const override { return Target.has_colors(); }
  bool is_displayed() const override { return Target.is_displayed(); }

private:
  void write_impl(const char *Data, size_t Size) override;
  uint64_t current_pos() const override { return Position; }
  void writeLine(llvm::StringRef Line);
  void emit(llvm::StringRef Text);

  llvm::raw_ostream &Target;
  const NameTable &Names;
  bool HoldBack;
  bool MissedFatBin = false;
  bool RepeatedCuid = false;
  uint64_t Position = 0;
  std::string Line, Held;
  uint64_t Printed = 0; // bytes that reached Target
  uint64_t ToSkip = 0;  // bytes that Target already has
};

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_NAMESTREAM_H
