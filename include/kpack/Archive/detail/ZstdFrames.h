//===- detail/ZstdFrames.h - zstd decompression of entries ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// zstd for the archive reader: the possible size of a stored kernel,
// decompression into memory of known size, and decompression that does not
// trust headers that promise far more than is stored. The reader keeps contexts
// in a pool, because creating one takes longer than a small kernel; each has
// memory for the stored bytes, because new memory takes longer than copying.
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

/// The resources to decompress one kernel.
struct Decoder {
  DCtxPtr Context;
  Buffer Stored;

  explicit operator bool() const { return Context != nullptr; }
};

/// Unused contexts, as many as threads have decompressed at once. The lock is
/// only tried: in a process that was forked while another thread held it, it
/// stays locked, and the process must still be able to load kernels. A thread
/// that does not get the lock makes a new context.
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

/// Returns an upper bound of the content of \p Stored bytes: a block gives at
/// most 128 KiB and takes at least four bytes.
inline uint64_t mostContent(uint64_t Stored) {
  return (Stored / 4 + 1) * (128 * 1024);
}

/// Returns empty if zstd could give exactly \p Size bytes for \p Stored, else
/// the reason. Looks at frame and block headers only.
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

/// Whether zstd compares the checksum that a frame may have.
enum class FrameChecksum { Checked, Skipped };

/// Decompresses \p Stored to at most \p Size bytes at \p Out in one call of
/// zstd, which uses the output as the window, so that a frame's window size
/// does not matter.
inline size_t decompressOnce(ZSTD_DCtx *Context, std::string_view Stored,
                             char *Out, uint64_t Size, FrameChecksum Checksum) {
  // ZSTD_d_forceIgnoreChecksum, which zstd.h shows to statically linked
  // programs only, because its number may change with a release. Other versions
  // compare the checksum, which takes longer and does no harm.
  if (ZSTD_versionNumber() / 100 == ZSTD_VERSION_NUMBER / 100)
    (void)ZSTD_DCtx_setParameter(Context, ZSTD_d_experimentalParam3,
                                 Checksum == FrameChecksum::Skipped);
  return ZSTD_decompressDCtx(Context, Out, Size, Stored.data(), Stored.size());
}

/// Returns empty if \p Got is the expected result of decompressOnce(), else the
/// error.
inline std::string whyNot(size_t Got, uint64_t Size) {
  if (ZSTD_isError(Got))
    return ZSTD_getErrorName(Got);
  if (Got != Size)
    return "gave " + std::to_string(Got) + " bytes instead of " +
           std::to_string(Size);
  return std::string();
}

/// Decompresses \p Stored to exactly \p Size bytes. Returns empty on success.
inline std::string decompress(ZSTD_DCtx *Context, std::string_view Stored,
                              char *Out, uint64_t Size,
                              FrameChecksum Checksum) {
  return whyNot(decompressOnce(Context, Stored, Out, Size, Checksum), Size);
}

/// The size that is allocated without proof: this much, or so many times the
/// stored bytes. Code objects grow by a factor of 3 to 10.
inline constexpr uint64_t TrustedSize = uint64_t(64) << 20;
inline constexpr uint64_t TrustedRatio = 16;

/// Decompresses \p Stored, which should give \p Size bytes, into \p Out. If
/// Size is more than the trusted size, decompresses that much first, and then
/// from the start into twice as much, and so on. Returns empty on success; \p
/// Out is empty if there is no memory.
inline std::string decompressGrowing(ZSTD_DCtx *Context,
                                     std::string_view Stored, Buffer &Out,
                                     uint64_t Size, FrameChecksum Checksum) {
  uint64_t Room = std::max(TrustedSize, TrustedRatio * Stored.size());
  for (;; Room *= 2) {
    Room = std::min(Room, Size);
    Out = Buffer(); // avoid a copy of the previous attempt
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
