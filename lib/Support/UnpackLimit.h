//===- Support/UnpackLimit.h - compressed input in memory -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one compressed bundle of device code, entry of an archive or entry of an
// exported cache may become in the memory of a tool. zstd makes 128 KiB of four
// bytes, so a file of some KiB can ask for all memory; device code becomes 3 to
// 20 times as large, and 64 times is more than any. The environment can say
// another size, and `kpack --max-unpacked=` sets it there, for all that the
// command calls and starts.
//
// For tools: what a process loads to run it is not limited.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_UNPACKLIMIT_H
#define KPACK_SUPPORT_UNPACKLIMIT_H

#include "Support/Numbers.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

namespace kpack {

inline constexpr char UnpackLimitVariable[] = "KPACK_MAX_UNPACKED";

/// "1048576", "512M", "2G": bytes, or with a letter KiB, MiB, GiB or TiB.
inline std::optional<uint64_t> parseUnpackLimit(std::string_view Text) {
  unsigned Shift = 0;
  constexpr std::string_view Letters = "KMGT";
  if (size_t At =
          Text.empty() ? std::string_view::npos : Letters.find(Text.back());
      At != std::string_view::npos) {
    Shift = unsigned(10 * (At + 1));
    Text.remove_suffix(1);
  }
  std::optional<uint64_t> Number = parseNumber<uint64_t>(Text);
  if (!Number || *Number > UINT64_MAX >> Shift)
    return std::nullopt;
  return *Number << Shift;
}

/// What anything may become. Much of it may be needed at once: on several
/// threads, or with copies.
inline constexpr uint64_t UnpackedAlways = uint64_t(32) << 20;
/// The same for who needs one at a time, and nothing beside it.
inline constexpr uint64_t UnpackedAlone = uint64_t(256) << 20;

/// The most bytes that \p Stored ones may become. Not more than the machine has
/// memory, unless the environment says so.
inline uint64_t unpackLimit(uint64_t Stored, uint64_t Always) {
  constexpr uint64_t Ratio = 64;
  if (const char *Text = std::getenv(UnpackLimitVariable))
    if (std::optional<uint64_t> Limit = parseUnpackLimit(Text))
      return *Limit;
  uint64_t Limit = Stored > UINT64_MAX / Ratio ? UINT64_MAX : Stored * Ratio;
  long Pages = ::sysconf(_SC_PHYS_PAGES), PageSize = ::sysconf(_SC_PAGESIZE);
  if (Pages > 0 && PageSize > 0)
    Limit = std::min(Limit, uint64_t(Pages) * uint64_t(PageSize));
  return std::max(Always, Limit);
}

/// Empty, or the end of a message: why \p Stored bytes that become \p Plain are
/// not decompressed, and how they are.
inline std::string whyNotUnpacked(uint64_t Stored, uint64_t Plain,
                                  uint64_t Always = UnpackedAlways) {
  uint64_t Limit = unpackLimit(Stored, Always);
  if (Plain <= Limit)
    return std::string();
  const char *Text = std::getenv(UnpackLimitVariable);
  std::string Ignored = Text && !parseUnpackLimit(Text)
                            ? " (" + std::string(UnpackLimitVariable) + "=" +
                                  Text + " is no size)"
                            : "";
  return "its " + std::to_string(Stored) + " bytes become " +
         std::to_string(Plain) + " in memory, and the limit is " +
         std::to_string(Limit) + Ignored + "; if you trust the file, set " +
         UnpackLimitVariable + "=" + std::to_string(Plain) +
         " (kpack: --max-unpacked=" + std::to_string(Plain) + ")";
}

} // namespace kpack

#endif // KPACK_SUPPORT_UNPACKLIMIT_H
