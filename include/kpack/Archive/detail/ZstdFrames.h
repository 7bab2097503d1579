//===- kpack/Archive/detail/ZstdFrames.h - decompression --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the archive reader needs of zstd: how much a stored kernel can give,
// decompression into memory of known size, and decompression that believes no
// header and lets its buffer grow only behind real data. Contexts are kept in
// a pool of the reader's, because making one costs more than a small kernel.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_ZSTDFRAMES_H
#define KPACK_ARCHIVE_DETAIL_ZSTDFRAMES_H

#include "kpack/Support/Buffer.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>
#include <zstd.h>
#include <zstd_errors.h>

namespace kpack {
namespace detail {

struct DCtxDeleter {
  void operator()(ZSTD_DCtx *Context) const { ZSTD_freeDCtx(Context); }
};
using DCtxPtr = std::unique_ptr<ZSTD_DCtx, DCtxDeleter>;

/// Contexts that are not in use. As many as threads ever decompressed at once.
/// The lock is only ever tried: a process that was forked while another thread
/// held it has it locked for ever, and must still be able to load kernels. Who
/// does not get the lock makes a context of his own.
class DCtxPool {
public:
  DCtxPtr take() {
    std::unique_lock<std::mutex> Lock(Mutex, std::try_to_lock);
    if (!Lock || Idle.empty()) {
      if (Lock)
        Lock.unlock();
      return DCtxPtr(ZSTD_createDCtx());
    }
    DCtxPtr Context = std::move(Idle.back());
    Idle.pop_back();
    return Context;
  }

  void give(DCtxPtr Context) {
    std::unique_lock<std::mutex> Lock(Mutex, std::try_to_lock);
    if (Lock)
      Idle.push_back(std::move(Context));
  }

private:
  std::mutex Mutex;
  std::vector<DCtxPtr> Idle;
};

/// Empty when zstd could give exactly \p Size bytes for \p Stored, else why it
/// cannot. Looks at frame and block headers only.
inline std::string implausibleSize(std::string_view Stored, uint64_t Size) {
  // A block gives at most 128 KiB and takes at least four bytes, so this is
  // what no stream of blocks can exceed.
  constexpr uint64_t MaxBlock = 128 * 1024;
  uint64_t Known = 0;   // stated by frame headers
  uint64_t Ceiling = 0; // of frames that state no size
  for (std::string_view Rest = Stored; !Rest.empty();) {
    size_t Length = ZSTD_findFrameCompressedSize(Rest.data(), Rest.size());
    if (ZSTD_isError(Length))
      return std::string("not a whole zstd frame: ") +
             ZSTD_getErrorName(Length);
    uint64_t Most = (Length / 4 + 1) * MaxBlock;
    unsigned long long Content =
        ZSTD_getFrameContentSize(Rest.data(), Rest.size());
    if (Content == ZSTD_CONTENTSIZE_ERROR)
      return "not a zstd frame";
    if (Content == ZSTD_CONTENTSIZE_UNKNOWN)
      Ceiling += Most;
    else if (Content > Most)
      return "the zstd frame promises " + std::to_string(Content) +
             " bytes, which " + std::to_string(Length) + " bytes cannot hold";
    else
      Known += Content;
    Rest.remove_prefix(Length);
  }
  if (Size < Known || Size - Known > Ceiling)
    return "the table of contents says " + std::to_string(Size) +
           " bytes, the zstd frame " + (Ceiling ? "at most " : "") +
           std::to_string(Known + Ceiling);
  return std::string();
}

/// Decompresses \p Stored to exactly \p Size bytes. Empty on success.
inline std::string decompress(ZSTD_DCtx *Context, std::string_view Stored,
                              char *Out, uint64_t Size) {
  size_t Got =
      ZSTD_decompressDCtx(Context, Out, Size, Stored.data(), Stored.size());
  if (ZSTD_isError(Got))
    return ZSTD_getErrorName(Got);
  if (Got != Size)
    return "gave " + std::to_string(Got) + " bytes instead of " +
           std::to_string(Size);
  return std::string();
}

/// Kernels up to this size are allocated on the word of the archive, larger
/// ones grow by it behind the data that is really there.
inline constexpr uint64_t TrustedSize = uint64_t(64) << 20;

/// The rest of a kernel of \p Size bytes whose first TrustedSize bytes are
/// known to exist: a stream, with room for one more step than was filled.
inline std::string decompressStream(ZSTD_DCtx *Context, std::string_view Stored,
                                    Buffer &Out, uint64_t Size) {
  ZSTD_DCtx_reset(Context, ZSTD_reset_session_only);
  ZSTD_inBuffer In = {Stored.data(), Stored.size(), 0};
  uint64_t Filled = 0;
  size_t Pending = 1; // zero at the end of a frame
  while (In.pos < In.size || Pending) {
    if (Filled == Out.size()) {
      if (!Out.resize(std::min(Size, Filled + TrustedSize)))
        return "out of memory";
    }
    ZSTD_outBuffer Step = {Out.data(), Out.size(), Filled};
    size_t Before = In.pos;
    Pending = ZSTD_decompressStream(Context, &Step, &In);
    if (ZSTD_isError(Pending))
      return ZSTD_getErrorName(Pending);
    if (Step.pos == Filled && In.pos == Before)
      return Filled == Size ? "gives more bytes than promised" : "cut off";
    Filled = Step.pos;
  }
  if (Filled != Size)
    return "gave " + std::to_string(Filled) + " bytes instead of " +
           std::to_string(Size);
  return std::string();
}

/// Decompresses \p Stored, which should give \p Size bytes. Never allocates
/// more than TrustedSize beyond what was really there. Empty on success.
inline std::string decompressGrowing(ZSTD_DCtx *Context,
                                     std::string_view Stored, Buffer &Out,
                                     uint64_t Size) {
  if (!Out.resize(std::min(Size, TrustedSize)))
    return "out of memory";
  if (Size <= TrustedSize)
    return decompress(Context, Stored, Out.data(), Size);
  size_t Got = ZSTD_decompressDCtx(Context, Out.data(), Out.size(),
                                   Stored.data(), Stored.size());
  if (!ZSTD_isError(Got))
    return "gave " + std::to_string(Got) + " bytes instead of " +
           std::to_string(Size);
  if (ZSTD_getErrorCode(Got) != ZSTD_error_dstSize_tooSmall)
    return ZSTD_getErrorName(Got);
  return decompressStream(Context, Stored, Out, Size);
}

} // namespace detail
} // namespace kpack

#endif // KPACK_ARCHIVE_DETAIL_ZSTDFRAMES_H
