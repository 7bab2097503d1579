//===- JitGraph/TieMembers.h - references to a struct's members -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// References to all members of a struct that this header does not know. C++20
// has no structured binding of any size, so each number of members has a line.
// To raise the limit, add names and lines, and change MaxMembers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_TIEMEMBERS_H
#define KPACK_JITGRAPH_TIEMEMBERS_H

#include <cstddef>
#include <tuple>

namespace kpack::jit::graph_detail {

inline constexpr size_t MaxMembers = 32;

// clang-format off
#define KPACK_NAMES_1 M1
#define KPACK_NAMES_2 KPACK_NAMES_1, M2
#define KPACK_NAMES_3 KPACK_NAMES_2, M3
#define KPACK_NAMES_4 KPACK_NAMES_3, M4
#define KPACK_NAMES_5 KPACK_NAMES_4, M5
#define KPACK_NAMES_6 KPACK_NAMES_5, M6
#define KPACK_NAMES_7 KPACK_NAMES_6, M7
#define KPACK_NAMES_8 KPACK_NAMES_7, M8
#define KPACK_NAMES_9 KPACK_NAMES_8, M9
#define KPACK_NAMES_10 KPACK_NAMES_9, M10
#define KPACK_NAMES_11 KPACK_NAMES_10, M11
#define KPACK_NAMES_12 KPACK_NAMES_11, M12
#define KPACK_NAMES_13 KPACK_NAMES_12, M13
#define KPACK_NAMES_14 KPACK_NAMES_13, M14
#define KPACK_NAMES_15 KPACK_NAMES_14, M15
#define KPACK_NAMES_16 KPACK_NAMES_15, M16
#define KPACK_NAMES_17 KPACK_NAMES_16, M17
#define KPACK_NAMES_18 KPACK_NAMES_17, M18
#define KPACK_NAMES_19 KPACK_NAMES_18, M19
#define KPACK_NAMES_20 KPACK_NAMES_19, M20
#define KPACK_NAMES_21 KPACK_NAMES_20, M21
#define KPACK_NAMES_22 KPACK_NAMES_21, M22
#define KPACK_NAMES_23 KPACK_NAMES_22, M23
#define KPACK_NAMES_24 KPACK_NAMES_23, M24
#define KPACK_NAMES_25 KPACK_NAMES_24, M25
#define KPACK_NAMES_26 KPACK_NAMES_25, M26
#define KPACK_NAMES_27 KPACK_NAMES_26, M27
#define KPACK_NAMES_28 KPACK_NAMES_27, M28
#define KPACK_NAMES_29 KPACK_NAMES_28, M29
#define KPACK_NAMES_30 KPACK_NAMES_29, M30
#define KPACK_NAMES_31 KPACK_NAMES_30, M31
#define KPACK_NAMES_32 KPACK_NAMES_31, M32
#define KPACK_TIE(MEMBERS)                                                     \
  if constexpr (Count == MEMBERS) {                                            \
    auto &[KPACK_NAMES_##MEMBERS] = Object;                                    \
    return std::tie(KPACK_NAMES_##MEMBERS);                                    \
  }

/// Ties the members of \p Object, which has \p Count members, 1 to MaxMembers,
/// and no base.
template <size_t Count, typename Struct>
constexpr auto tieMembers(Struct &Object) {
  KPACK_TIE(1) KPACK_TIE(2) KPACK_TIE(3) KPACK_TIE(4)
  KPACK_TIE(5) KPACK_TIE(6) KPACK_TIE(7) KPACK_TIE(8)
  KPACK_TIE(9) KPACK_TIE(10) KPACK_TIE(11) KPACK_TIE(12)
  KPACK_TIE(13) KPACK_TIE(14) KPACK_TIE(15) KPACK_TIE(16)
  KPACK_TIE(17) KPACK_TIE(18) KPACK_TIE(19) KPACK_TIE(20)
  KPACK_TIE(21) KPACK_TIE(22) KPACK_TIE(23) KPACK_TIE(24)
  KPACK_TIE(25) KPACK_TIE(26) KPACK_TIE(27) KPACK_TIE(28)
  KPACK_TIE(29) KPACK_TIE(30) KPACK_TIE(31) KPACK_TIE(32)
}

#undef KPACK_TIE
#undef KPACK_NAMES_1
#undef KPACK_NAMES_2
#undef KPACK_NAMES_3
#undef KPACK_NAMES_4
#undef KPACK_NAMES_5
#undef KPACK_NAMES_6
#undef KPACK_NAMES_7
#undef KPACK_NAMES_8
#undef KPACK_NAMES_9
#undef KPACK_NAMES_10
#undef KPACK_NAMES_11
#undef KPACK_NAMES_12
#undef KPACK_NAMES_13
#undef KPACK_NAMES_14
#undef KPACK_NAMES_15
#undef KPACK_NAMES_16
#undef KPACK_NAMES_17
#undef KPACK_NAMES_18
#undef KPACK_NAMES_19
#undef KPACK_NAMES_20
#undef KPACK_NAMES_21
#undef KPACK_NAMES_22
#undef KPACK_NAMES_23
#undef KPACK_NAMES_24
#undef KPACK_NAMES_25
#undef KPACK_NAMES_26
#undef KPACK_NAMES_27
#undef KPACK_NAMES_28
#undef KPACK_NAMES_29
#undef KPACK_NAMES_30
#undef KPACK_NAMES_31
#undef KPACK_NAMES_32
// clang-format on

} // namespace kpack::jit::graph_detail

#endif // KPACK_JITGRAPH_TIEMEMBERS_H
