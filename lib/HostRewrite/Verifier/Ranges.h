//===- Ranges.h - sets of addresses -----------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set of addresses as ranges, which may overlap while they are added. Queries
// return the parts of another range that are in the set or not.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_RANGES_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_RANGES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace kpack::hostrewrite::verifier {

class Ranges {
public:
  /// Adds [\p Begin, \p End), if it is not empty.
  void add(uint64_t Begin, uint64_t End) {
    if (Begin < End)
      All.emplace_back(Begin, End);
  }
  /// Merges adjacent ranges; call it after the last add() and before queries.
  void sort() {
    llvm::sort(All);
    std::vector<std::pair<uint64_t, uint64_t>> Merged;
    for (const auto &R : All)
      if (!Merged.empty() && R.first <= Merged.back().second)
        Merged.back().second = std::max(Merged.back().second, R.second);
      else
        Merged.push_back(R);
    All = std::move(Merged);
  }

  /// True if one of the addresses is in the set.
  bool meets(uint64_t Begin, uint64_t End) const {
    auto Next =
        llvm::upper_bound(All, Begin, [](uint64_t Position, const auto &R) {
          return Position < R.second;
        });
    return Next != All.end() && Next->first < End;
  }

  /// Calls \p Use with each part of a range, and with true if it is in the set.
  void
  forEachPart(uint64_t Begin, uint64_t End,
              llvm::function_ref<void(uint64_t, uint64_t, bool)> Use) const {
    auto Next =
        llvm::upper_bound(All, Begin, [](uint64_t Position, const auto &R) {
          return Position < R.second;
        });
    for (; Begin < End && Next != All.end() && Next->first < End; ++Next) {
      if (Begin < Next->first)
        Use(Begin, Next->first, false);
      uint64_t Stop = std::min(End, Next->second);
      Use(std::max(Begin, Next->first), Stop, true);
      Begin = Stop;
    }
    if (Begin < End)
      Use(Begin, End, false);
  }

  /// Calls \p Use with each part of a range that is not in the set.
  void forEachOther(uint64_t Begin, uint64_t End,
                    llvm::function_ref<void(uint64_t, uint64_t)> Use) const {
    forEachPart(Begin, End, [&](uint64_t First, uint64_t Last, bool IsIn) {
      if (!IsIn)
        Use(First, Last);
    });
  }

private:
  std::vector<std::pair<uint64_t, uint64_t>> All;
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_RANGES_H
