//===- SparseFile.h - copies that keep a sparse file's holes ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An output of a sparse file is sparse as well. An output of any other file is
// written in full, since its owner may rely on the allocated space. Used by
// RewrittenFile.cpp and CopiedFile.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_SPARSEFILE_H
#define KPACK_LIB_HOSTREWRITE_SPARSEFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <system_error>

namespace kpack::hostrewrite {

/// True if the file open as \p File has fewer allocated than logical bytes.
bool isSparse(int File);

/// A stream to a new file that leaves holes for blocks of zeros.
class SparseStream : public llvm::raw_pwrite_stream {
public:
  explicit SparseStream(llvm::raw_fd_ostream &Stream) : To(Stream) {}
  ~SparseStream() override { flush(); }
  /// Leaves a hole of \p Bytes, as if that many zeros were written.
  void skip(uint64_t Bytes);
  /// Sets the file's size; call this last. No later write would follow a hole
  /// at the end.
  void finish();

private:
  void write_impl(const char *Bytes, size_t Size) override;
  void pwrite_impl(const char *Bytes, size_t Size, uint64_t Offset) override;
  uint64_t current_pos() const override { return Position; }
  size_t preferred_buffer_size() const override;

  llvm::raw_fd_ostream &To;
  uint64_t Position = 0;
};

/// Copies the bytes of \p Source to \p Target, which is new, and keeps holes of
/// a sparse file.
std::error_code copyBytes(int Source, int Target);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_SPARSEFILE_H
