//===- HostFile.h - interface to ELF and Windows files ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of Convert.cpp and Unpack.cpp to a file: its wrappers, and its
// output without or with device code. The formats implement it:
// Elf/ElfHostFile.cpp and Coff/PeHostFile.cpp.
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

/// A view: the bytes passed to open() outlive it.
class HostFile {
public:
  /// Reads \p Bytes, which messages call \p Name. Fails if they are no program
  /// or library of a known format, damaged, converted in part, or if their
  /// wrappers are ambiguous.
  static llvm::Expected<std::unique_ptr<HostFile>> open(llvm::StringRef Bytes,
                                                        llvm::StringRef Name);
  virtual ~HostFile();

  virtual InputKind kind() const = 0;
  /// Ordered by index.
  virtual llvm::ArrayRef<offload::Wrapper> wrappers() const = 0;
  /// Returns the address in each wrapper, as a loader would relocate it. Fails
  /// if one points nowhere. Call this before planning the file.
  virtual llvm::Expected<std::vector<uint64_t>> readPointers() = 0;
  /// Returns the \p Size bytes that are loaded to \p Address, or nullopt if the
  /// file does not hold them all.
  virtual std::optional<llvm::StringRef> bytesAt(uint64_t Address,
                                                 uint64_t Size) const = 0;

  /// Reserves space for a marker of that size. May be called again. Fails if
  /// the layout cannot be kept, or \p Kind is impossible for the file.
  virtual llvm::Expected<CodePlace> planHostOnly(uint64_t MarkerSize,
                                                 LayoutKind Kind) = 0;
  /// Properties of the plan: addresses change; the device code has none left.
  virtual bool movesAddresses() const { return false; }
  virtual bool isCompact() const { return false; }
  /// Writes the planned file, with wrappers that point to \p Marker, to \p OS.
  /// The caller checks \p OS for errors.
  virtual llvm::Error writeHostOnly(llvm::StringRef Marker,
                                    llvm::raw_pwrite_stream &OS) = 0;

  /// Reserves space for device code of that size and returns its address.
  virtual llvm::Expected<uint64_t> planFat(uint64_t CodeSize) = 0;
  /// Writes the planned file to \p OS, as above. Wrapper I points to
  /// \p Places[I], in bytes from the start of the code.
  virtual llvm::Error
  writeFat(llvm::ArrayRef<uint64_t> Places,
           llvm::function_ref<llvm::Error(llvm::raw_ostream &)> WriteCode,
           llvm::raw_pwrite_stream &OS) = 0;

  /// Returns a message for each part of the file that is lost.
  virtual std::vector<std::string> losses() const { return {}; }
  /// Returns the host's triple in bundles, such as "x86_64-unknown-linux-gnu".
  virtual llvm::StringRef hostTriple() const = 0;
};

/// Returns the kind of a file with \p Wrappers. Fails if only some of them were
/// converted, or one is of unknown kind.
llvm::Expected<InputKind>
kindByWrappers(llvm::ArrayRef<offload::Wrapper> Wrappers, llvm::StringRef Name);

/// The formats' implementations of HostFile::open().
llvm::Expected<std::unique_ptr<HostFile>> openPe(llvm::StringRef Bytes,
                                                 llvm::StringRef Name);
llvm::Expected<std::unique_ptr<HostFile>> openElf(llvm::StringRef Bytes,
                                                  llvm::StringRef Name);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_HOSTFILE_H
