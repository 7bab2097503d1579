//===- HostFile.h - a linked file, whatever its format ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Convert.cpp and Unpack.cpp ask of a file: its wrappers, and to be
// written without its device code, or with it again. How that is done is the
// business of each format: Elf/ElfHostFile.cpp and Coff/PeHostFile.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_HOSTFILE_H
#define KPACK_LIB_HOSTREWRITE_HOSTFILE_H

#include "HostRewrite/Convert.h"
#include "Offload/Wrappers.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace kpack::hostrewrite {

/// All device code of a file.
struct CodePlace {
  llvm::StringRef Bytes;
  uint64_t Address = 0;
};

/// The bytes that it was made of outlive it.
class HostFile {
public:
  /// Reads \p Bytes, which messages call \p Name. Errors: no program or library
  /// of a known format, a damaged one, one whose wrappers cannot be told, one
  /// that was converted in part.
  static llvm::Expected<std::unique_ptr<HostFile>> open(llvm::StringRef Bytes,
                                                        llvm::StringRef Name);
  virtual ~HostFile();

  virtual InputKind kind() const = 0;
  /// In the order of their indices.
  virtual llvm::ArrayRef<offload::Wrapper> wrappers() const = 0;
  /// Where each wrapper leads to, by what a loader makes of it. Errors: one
  /// that leads nowhere. Called before the file is planned.
  virtual llvm::Expected<std::vector<uint64_t>> readPointers() = 0;
  /// The \p Size bytes that are loaded to \p Address; nothing when they are not
  /// all in the file.
  virtual std::optional<llvm::StringRef> bytesAt(uint64_t Address,
                                                 uint64_t Size) const = 0;

  /// Makes room for a marker of that size. May be called again. Errors: a
  /// layout that cannot be kept, or not be had.
  virtual llvm::Expected<CodePlace> planHostOnly(uint64_t MarkerSize,
                                                 LayoutKind Kind) = 0;
  /// Of what was planned: addresses change; the device code has none any more.
  virtual bool movesAddresses() const { return false; }
  virtual bool isCompact() const { return false; }
  /// Writes what was planned, with wrappers that lead to \p Marker, to \p OS,
  /// whose errors the caller looks at.
  virtual llvm::Error writeHostOnly(llvm::StringRef Marker,
                                    llvm::raw_pwrite_stream &OS) = 0;

  /// Makes room for device code of that size; its address.
  virtual llvm::Expected<uint64_t> planFat(uint64_t CodeSize) = 0;
  /// Writes what was planned to \p OS, as above. Wrapper I leads to
  /// \p Places[I], in bytes from the start of the code.
  virtual llvm::Error
  writeFat(llvm::ArrayRef<uint64_t> Places,
           llvm::function_ref<llvm::Error(llvm::raw_ostream &)> WriteCode,
           llvm::raw_pwrite_stream &OS) = 0;

  /// What of the file is not kept, each a message about it.
  virtual std::vector<std::string> losses() const { return {}; }
  /// "x86_64-unknown-linux-gnu": what host code in bundles is said to be for.
  virtual llvm::StringRef hostTriple() const = 0;
};

/// What a file with \p Wrappers is. Errors: some of them were converted and
/// others were not, or one is of no known kind.
llvm::Expected<InputKind>
kindByWrappers(llvm::ArrayRef<offload::Wrapper> Wrappers, llvm::StringRef Name);

/// One file for each format; see HostFile::open().
llvm::Expected<std::unique_ptr<HostFile>> openPe(llvm::StringRef Bytes,
                                                 llvm::StringRef Name);
llvm::Expected<std::unique_ptr<HostFile>> openElf(llvm::StringRef Bytes,
                                                  llvm::StringRef Name);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_HOSTFILE_H
