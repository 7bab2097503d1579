//===- kpack/Archive/detail/ZstdFrames.h - decompression --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the archive reader needs of zstd: how much a stored kernel can give,
// decompression into memory of known size, and decompression that believes no
// header that promises far more than is stored. Contexts are kept in a pool of
// the reader's, because making one costs more than a small kernel; each with
// memory for the stored bytes, because new memory costs more than copying.
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

/// What decompressing one kernel takes.
struct Decoder {
  DCtxPtr Context;
  Buffer Stored;

  explicit operator bool() const { return Context != nullptr; }
};

/// Contexts that are not in use. As many as threads ever decompressed at once.
/// The lock is only ever tried: a process that was forked while another thread
/// held it has it locked for ever, and must still be able to load kernels. Who
/// does not get the lock makes a context of his own.
class DecoderPool {
public:
  Decoder take() {
    std::unique_lock<std::mutex> Lock(Mutex, std::try_to_lock);
    if (!Lock || Idle.empty()) {
      if (Lock)
        Lock.unlock();
      return {DCtxPtr(ZSTD_createDCtx()), Buffer()};
    }
    Decoder D = std::move(Idle.back());
    Idle.pop_back();
    return D;
  }

  void give(Decoder D) {
    if (D.Stored.size() > KeptSize)
      D.Stored = Buffer();
    std::unique_lock<std::mutex> Lock(Mutex, std::try_to_lock);
    if (Lock)
      Idle.push_back(std::move(D));
  }

private:
  static constexpr size_t KeptSize = 1 << 20;

  std::mutex Mutex;
  std::vector<Decoder> Idle;
};

/// What no stream of blocks in \p Stored bytes exceeds: a block gives at most
/// 128 KiB and takes at least four bytes.
inline uint64_t mostContent(uint64_t Stored) {
  return (Stored / 4 + 1) * (128 * 1024);
}

/// Empty when zstd could give exactly \p Size bytes for \p Stored, else why it
/// cannot. Looks at frame and block headers only.
inline std::string implausibleSize(std::string_view Stored, uint64_t Size) {
  uint64_t Known = 0;   // stated by frame headers
  uint64_t Ceiling = 0; // of frames that state no size
  for (std::string_view Rest = Stored; !Rest.empty();) {
    size_t Length = ZSTD_findFrameCompressedSize(Rest.data(), Rest.size());
    if (ZSTD_isError(Length))
      return std::string("not a whole zstd frame: ") +
             ZSTD_getErrorName(Length);
    uint64_t Most = mostContent(Length);
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

/// Whether the checksum that a frame may carry is compared.
enum class FrameChecksum { Checked, Skipped };

/// Decompresses \p Stored to at most \p Size bytes at \p Out, as zstd does it
/// in one call: the output is the window, however large the frame wants it.
inline size_t decompressOnce(ZSTD_DCtx *Context, std::string_view Stored,
                             char *Out, uint64_t Size, FrameChecksum Checksum) {
  // ZSTD_d_forceIgnoreChecksum, which zstd.h shows to statically linked
  // programs only, because its number may change with a release. Elsewhere the
  // checksum is compared, which takes longer and does no harm.
  if (ZSTD_versionNumber() / 100 == ZSTD_VERSION_NUMBER / 100)
    (void)ZSTD_DCtx_setParameter(Context, ZSTD_d_experimentalParam3,
                                 Checksum == FrameChecksum::Skipped);
  return ZSTD_decompressDCtx(Context, Out, Size, Stored.data(), Stored.size());
}

/// Empty when \p Got is what decompressOnce() should return, else what is
/// wrong.
inline std::string whyNot(size_t Got, uint64_t Size) {
  if (ZSTD_isError(Got))
    return ZSTD_getErrorName(Got);
  if (Got != Size)
    return "gave " + std::to_string(Got) + " bytes instead of " +
           std::to_string(Size);
  return std::string();
}

/// Decompresses \p Stored to exactly \p Size bytes. Empty on success.
inline std::string decompress(ZSTD_DCtx *Context, std::string_view Stored,
                              char *Out, uint64_t Size,
                              FrameChecksum Checksum) {
  return whyNot(decompressOnce(Context, Stored, Out, Size, Checksum), Size);
}

/// What is allocated on the word of the archive: this much, or so many times
/// the stored bytes. Code objects become 3 to 10 times as large.
inline constexpr uint64_t TrustedSize = uint64_t(64) << 20;
inline constexpr uint64_t TrustedRatio = 16;

/// Decompresses \p Stored, which should give \p Size bytes, into \p Out.
/// Where that is more than can be trusted, a beginning of trusted size has to
/// be there before twice as much is allocated, and decompressed from the start.
/// Empty on success; \p Out has no bytes when there is no memory.
inline std::string decompressGrowing(ZSTD_DCtx *Context,
                                     std::string_view Stored, Buffer &Out,
                                     uint64_t Size, FrameChecksum Checksum) {
  uint64_t Room = std::max(TrustedSize, TrustedRatio * Stored.size());
  for (;; Room *= 2) {
    Room = std::min(Room, Size);
    Out = Buffer(); // what was a trial need not be copied
    if (!Out.resize(Room))
      return "out of memory";
    size_t Got = decompressOnce(Context, Stored, Out.data(), Room, Checksum);
    bool IsBeginning = Room < Size && ZSTD_isError(Got) &&
                       ZSTD_getErrorCode(Got) == ZSTD_error_dstSize_tooSmall;
    if (!IsBeginning)
      return whyNot(Got, Size);
  }
}

} // namespace detail
} // namespace kpack

#endif // KPACK_ARCHIVE_DETAIL_ZSTDFRAMES_H
