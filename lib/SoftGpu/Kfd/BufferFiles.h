//===- BufferFiles.h - memory files that buffers share ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs make more small allocations than a process may have open files. So
// small buffers of one kind share a file, one after another, until a buffer has
// to be exported or mapped elsewhere. An offset in such a file is used once
// only: a freed buffer may still be mapped.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_BUFFERFILES_H
#define KPACK_LIB_SOFTGPU_KFD_BUFFERFILES_H

#include "kpack/Support/UniqueFd.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace kpack::softgpu {

/// Id of a GPU, and allocation flags. The file's name holds both, so that an
/// importer can read them.
using BufferKind = std::pair<uint32_t, uint32_t>;

/// A buffer's part of a file.
struct BufferFile {
  std::shared_ptr<const UniqueFd> Fd; ///< null if there is no file
  uint64_t Offset = 0;
  bool IsCommon = false; ///< other buffers may have parts of the file

  int get() const { return Fd ? Fd->get() : -1; }
  /// Returns the rest of the part, without its first \p Bytes.
  BufferFile after(uint64_t Bytes) const {
    return {Fd, Offset + Bytes, IsCommon};
  }
  explicit operator bool() const { return get() >= 0; }
};

/// Moves a descriptor to a high number: programs need low ones (select()).
UniqueFd moveUp(UniqueFd Fd);

/// Makes a file of \p Size bytes. Returns an empty BufferFile and sets errno on
/// failure.
BufferFile makeBufferFile(BufferKind Kind, uint64_t Size);

/// Copies the \p Size bytes of \p Old to a new, separate file. Fails as above.
BufferFile copyBufferFile(BufferKind Kind, const BufferFile &Old,
                          uint64_t Size);

/// Returns the pages of the first \p Size bytes of \p File to the system. They
/// then read as zeros.
void giveBack(const BufferFile &File, uint64_t Size);

class CommonFiles {
public:
  /// Larger buffers have separate files.
  static constexpr uint64_t MostBytes = 64 * 1024;

  /// Allocates a part of a file for a buffer of \p Size bytes. Fails as above.
  BufferFile add(BufferKind Kind, uint64_t Size);

private:
  struct File {
    std::shared_ptr<const UniqueFd> Fd;
    uint64_t Size = 0;
    unsigned Buffers = 0;
  };
  /// Appends a buffer to \p F. Fails as above.
  static BufferFile append(File &F, uint64_t Size);

  /// Files with room for more buffers.
  std::map<BufferKind, File> Open;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_BUFFERFILES_H
