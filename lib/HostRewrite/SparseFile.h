//===- SparseFile.h - holes stay holes --------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file may have zeros that take no room on the disk. What is made of such a
// file has none for its zeros either; what is made of any other file is written
// as it is, since whoever has reserved the room may count on it. Users:
// RewrittenFile.cpp and CopiedFile.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_SPARSEFILE_H
#define KPACK_LIB_HOSTREWRITE_SPARSEFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <system_error>

namespace kpack::hostrewrite {

/// Whether the file open as \p File takes less of its disk than it has bytes.
bool isSparse(int File);

/// Passes everything on to a new file but blocks of zeros, which it steps over.
class SparseStream : public llvm::raw_pwrite_stream {
public:
  explicit SparseStream(llvm::raw_fd_ostream &To) : To(To) {}
  ~SparseStream() override { flush(); }
  /// A hole of \p Bytes, as if so many zeros had been written.
  void skip(uint64_t Bytes);
  /// To be called last: a hole at the end has nothing after it that is
  /// written.
  void finish();

private:
  void write_impl(const char *Bytes, size_t Size) override;
  void pwrite_impl(const char *Bytes, size_t Size, uint64_t Offset) override;
  uint64_t current_pos() const override { return Position; }
  size_t preferred_buffer_size() const override;

  llvm::raw_fd_ostream &To;
  uint64_t Position = 0;
};

/// Copies the bytes of \p From to \p To, which is new; holes of a sparse
/// file are holes.
std::error_code copyBytes(int From, int To);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_SPARSEFILE_H
