//===- ConvBuilder/MemberNames.h - names of a struct's members --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the names of a struct's members, for messages only. C++20 has no such
// facility; but g++ and clang print the name in the signature of a function
// whose template argument is the member's address:
//
//   memberNames<Mine>()        {"spatial_dim", "direcion", ...}
//
// The list is empty for structs with bases, arrays or very many members. It
// costs compile time for each member, so it is only computed for an error.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_MEMBERNAMES_H
#define KPACK_CONVBUILDER_MEMBERNAMES_H

#include "kpack/ConvBuilder/Aggregates.h"
#include "kpack/ConvBuilder/ForeignEnums.h"

namespace kpack::conv::detail {

/// Storage of an object that is never constructed; only its addresses are used.
template <typename Object> union Nowhere {
  char None;
  Object Value;

  constexpr Nowhere() : None() {}
  constexpr ~Nowhere() {}
};
template <typename Object> inline constexpr Nowhere<Object> NowhereOf{};

template <const auto *Address> constexpr std::string_view nameAt() {
  return lastWord(__PRETTY_FUNCTION__);
}

template <std::size_t Index, typename First, typename... Others>
constexpr auto atIndex(First Here, Others... Behind) {
  if constexpr (Index == 0)
    return Here;
  else
    return atIndex<Index - 1>(Behind...);
}

inline constexpr std::size_t MaxNames = 20;

/// Returns the address of member number \p Index.
template <typename Object, std::size_t Index> constexpr auto addressOfMember() {
  constexpr std::size_t Count = arity<Object>();
  const Object &Instance = NowhereOf<Object>.Value;
  if constexpr (Count == 1) {
    const auto &[M0] = Instance;
    return atIndex<Index>(&M0);
  } else if constexpr (Count == 2) {
    const auto &[M0, M1] = Instance;
    return atIndex<Index>(&M0, &M1);
  } else if constexpr (Count == 3) {
    const auto &[M0, M1, M2] = Instance;
    return atIndex<Index>(&M0, &M1, &M2);
  } else if constexpr (Count == 4) {
    const auto &[M0, M1, M2, M3] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3);
  } else if constexpr (Count == 5) {
    const auto &[M0, M1, M2, M3, M4] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4);
  } else if constexpr (Count == 6) {
    const auto &[M0, M1, M2, M3, M4, M5] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5);
  } else if constexpr (Count == 7) {
    const auto &[M0, M1, M2, M3, M4, M5, M6] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6);
  } else if constexpr (Count == 8) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7);
  } else if constexpr (Count == 9) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8);
  } else if constexpr (Count == 10) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8, &M9);
  } else if constexpr (Count == 11) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8, &M9,
                          &M10);
  } else if constexpr (Count == 12) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8, &M9,
                          &M10, &M11);
  } else if constexpr (Count == 13) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12] =
        Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8, &M9,
                          &M10, &M11, &M12);
  } else if constexpr (Count == 14) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13] =
        Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8, &M9,
                          &M10, &M11, &M12, &M13);
  } else if constexpr (Count == 15) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13,
                 M14] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8, &M9,
                          &M10, &M11, &M12, &M13, &M14);
  } else if constexpr (Count == 16) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13,
                 M14, M15] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8, &M9,
                          &M10, &M11, &M12, &M13, &M14, &M15);
  } else if constexpr (Count == 17) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13,
                 M14, M15, M16] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8, &M9,
                          &M10, &M11, &M12, &M13, &M14, &M15, &M16);
  } else if constexpr (Count == 18) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13,
                 M14, M15, M16, M17] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8, &M9,
                          &M10, &M11, &M12, &M13, &M14, &M15, &M16, &M17);
  } else if constexpr (Count == 19) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13,
                 M14, M15, M16, M17, M18] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8, &M9,
                          &M10, &M11, &M12, &M13, &M14, &M15, &M16, &M17, &M18);
  } else if constexpr (Count == 20) {
    const auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13,
                 M14, M15, M16, M17, M18, M19] = Instance;
    return atIndex<Index>(&M0, &M1, &M2, &M3, &M4, &M5, &M6, &M7, &M8, &M9,
                          &M10, &M11, &M12, &M13, &M14, &M15, &M16, &M17, &M18,
                          &M19);
  }
}

template <typename Object, typename Numbers> struct CanHaveEach;
template <typename Object, std::size_t... Number>
struct CanHaveEach<Object, std::integer_sequence<std::size_t, Number...>> {
  static constexpr bool Value =
      requires { Object{{AnyMemberAt<Number>{}}...}; };
};

/// True if structured bindings match arity(): the struct has no bases, and no
/// array, whose elements arity() counts separately.
template <typename Object> constexpr bool canBeBound() {
  constexpr std::size_t Count = arity<Object>();
  if constexpr (Count == 0 || Count > MaxNames ||
                HasBaseAt<Object, AnyBase<Object>, 0>)
    return false;
  else
    return CanHaveEach<Object, std::make_index_sequence<Count>>::Value;
}

/// Lists the names in declaration order.
template <typename Object>
constexpr List<std::string_view, MaxNames> memberNames() {
  List<std::string_view, MaxNames> Names;
  if constexpr (canBeBound<Object>())
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      (Names.push(nameAt<addressOfMember<Object, Index>()>()), ...);
    }(std::make_index_sequence<arity<Object>()>());
  return Names;
}

} // namespace kpack::conv::detail

#endif // KPACK_CONVBUILDER_MEMBERNAMES_H
