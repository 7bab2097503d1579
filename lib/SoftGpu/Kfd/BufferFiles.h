//===- BufferFiles.h - memory files of buffers ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process may have fewer open files than programs have small allocations. So
// small buffers of one kind lie one after another in a file of several, until
// one of them has to be a file that others open or map. No place in such a file
// is used a second time: what is freed may be mapped still.
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

/// A GPU by its id, and flags: the name of a file has both, and tells who
/// imports it what it is of.
using BufferKind = std::pair<uint32_t, uint32_t>;

/// A buffer's part of a file.
struct BufferFile {
  std::shared_ptr<const UniqueFd> Fd; ///< null: none
  uint64_t Offset = 0;
  bool IsCommon = false; ///< others may have parts of it

  int get() const { return Fd ? Fd->get() : -1; }
  /// The rest of the part, without its first \p Bytes.
  BufferFile after(uint64_t Bytes) const {
    return {Fd, Offset + Bytes, IsCommon};
  }
  explicit operator bool() const { return get() >= 0; }
};

/// A duplicate out of the way: programs have a use for low numbers (select()).
UniqueFd moveUp(UniqueFd Fd);

/// A file of \p Size bytes. None: errno has the reason.
BufferFile makeBufferFile(BufferKind Kind, uint64_t Size);

/// \p Old, of \p Size bytes, copied to a separate file. None: as above.
BufferFile copyBufferFile(BufferKind Kind, const BufferFile &Old,
                          uint64_t Size);

/// Gives the first \p Size bytes of \p File back to the system. They read as
/// zeros from then on.
void giveBack(const BufferFile &File, uint64_t Size);

class CommonFiles {
public:
  /// Each larger buffer has a separate file.
  static constexpr uint64_t MostBytes = 64 * 1024;

  /// The part of a file for a buffer of \p Size bytes. None: as above.
  BufferFile add(BufferKind Kind, uint64_t Size);

private:
  struct File {
    std::shared_ptr<const UniqueFd> Fd;
    uint64_t Size = 0;
    unsigned Buffers = 0;
  };
  /// The part for a buffer at the end of \p F. None: as above.
  static BufferFile append(File &F, uint64_t Size);

  /// Those that have room.
  std::map<BufferKind, File> Open;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_BUFFERFILES_H
