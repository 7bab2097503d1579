//===- Units.h - sizes and times as readable text ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "10G", "30d" on the command line; "4.2 MiB", "2026-11-21 13:40" (UTC) in
// tables. JSON has the plain numbers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_UNITS_H
#define KPACK_LIB_JITTOOL_UNITS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kpack::jittool {

/// Parses bytes: "512", "10G", "10GiB". Returns nullopt for other text and on
/// overflow of 64 bits.
std::optional<uint64_t> parseSize(llvm::StringRef Text);
/// Parses seconds: "90", "30d".
std::optional<uint64_t> parseDuration(llvm::StringRef Text);

std::string showSize(uint64_t Bytes);
/// Formats UTC to the minute; "-" for 0.
std::string showTime(uint64_t Seconds);
/// Formats "1.4 s".
std::string showMilliseconds(uint64_t Milliseconds);
/// Formats "1 entry", "2 entries"; \p Many is by default \p One with an s.
std::string showCount(uint64_t Count, llvm::StringRef One,
                      llvm::StringRef Many = {});

} // namespace kpack::jittool

#endif // KPACK_LIB_JITTOOL_UNITS_H
