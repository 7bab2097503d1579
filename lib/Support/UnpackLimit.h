//===- Support/UnpackLimit.h - size limits of decompression -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limit on the size in a tool's memory of a compressed bundle of device
// code, an entry of an archive or an entry of an exported cache. zstd expands
// four bytes to 128 KiB, so a file of some KiB could exhaust the memory. Device
// code expands by a factor of 3 to 20, so 64 is enough for all. The environment
// can set another limit; `kpack --max-unpacked=` sets it there, for all parts
// and child processes of the command.
//
// For tools: code that a process loads in order to run it has no limit.
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

/// Parses "1048576", "512M", "2G": bytes, or KiB, MiB, GiB or TiB by letter.
inline std::optional<uint64_t> parseUnpackLimit(std::string_view Text) {
  unsigned Shift = 0;
  constexpr std::string_view Letters = "KMGT";
  if (size_t Letter =
          Text.empty() ? std::string_view::npos : Letters.find(Text.back());
      Letter != std::string_view::npos) {
    Shift = unsigned(10 * (Letter + 1));
    Text.remove_suffix(1);
  }
  std::optional<uint64_t> Value = parseNumber<uint64_t>(Text);
  if (!Value || *Value > UINT64_MAX >> Shift)
    return std::nullopt;
  return *Value << Shift;
}

/// The size that is always allowed. Several may be needed at once: on threads,
/// or with copies.
inline constexpr uint64_t UnpackedAlways = uint64_t(32) << 20;
/// The same for a caller that needs one at a time, without copies.
inline constexpr uint64_t UnpackedAlone = uint64_t(256) << 20;

/// Returns the largest size to which \p Stored bytes may expand: the limit of
/// the environment; otherwise 64 times \p Stored, at most the machine's memory,
/// but at least \p Always.
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

/// Returns an empty string, or the end of a message that \p Stored bytes with
/// the plain size \p Plain exceed the limit, with advice.
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
