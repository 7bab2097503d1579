//===- kpack/ConvBuilder/Aggregates.h - lists, parts, counting --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the values of this library are made of. A Signature and an Algorithm are
// template arguments, so every type in them is structural: all members public.
// std::optional and std::vector are not.
//
// Template arguments are the same when their members are, those that nobody
// looks at included. So what is absent here is always the default value, and
// equality, identity and text agree.
//
// arity<T>() counts the members of an aggregate. Fields.h compares it with the
// list of fields, so that none is forgotten; Canonical.h finds misspelled ones
// in types of users by it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_AGGREGATES_H
#define KPACK_CONVBUILDER_AGGREGATES_H

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace kpack::conv {

/// Up to \p Capacity values. More of them, given to the constructor, is an
/// error while compiling; at run time push() says false.
template <typename T, unsigned Capacity> struct List {
  unsigned Count = 0;
  T Items[Capacity]{};

  constexpr List() = default;
  constexpr List(std::initializer_list<T> Values) {
    for (const T &Value : Values)
      Items[Count++] = Value;
  }

  constexpr unsigned size() const { return Count; }
  constexpr bool empty() const { return Count == 0; }
  constexpr const T &operator[](unsigned I) const { return Items[I]; }
  constexpr T &operator[](unsigned I) { return Items[I]; }
  constexpr const T *begin() const { return Items; }
  constexpr const T *end() const { return Items + Count; }
  constexpr T *begin() { return Items; }
  constexpr T *end() { return Items + Count; }

  /// False where the list is full.
  constexpr bool push(const T &Value) {
    if (Count == Capacity)
      return false;
    Items[Count++] = Value;
    return true;
  }

  friend constexpr bool operator==(const List &, const List &) = default;
};

/// A part that may be absent. Made of the part, or of what the part is made of:
/// `.tile = {128, 128, 32}`.
template <typename T> struct Optional {
  bool Has = false;
  T Value{};

  constexpr Optional() = default;
  constexpr Optional(const T &V) : Has(true), Value(V) {}
  template <typename First, typename... Others>
    requires((std::is_enum_v<First> || sizeof...(Others) != 0) &&
             !std::is_same_v<First, T> &&
             requires(First F, Others... O) { T{F, O...}; })
  constexpr Optional(First F, Others... O) : Has(true), Value{F, O...} {}

  constexpr bool has() const { return Has; }
  constexpr explicit operator bool() const { return Has; }
  constexpr const T &operator*() const { return Value; }
  constexpr T &operator*() { return Value; }
  constexpr const T *operator->() const { return &Value; }
  constexpr T *operator->() { return &Value; }

  constexpr void reset() { *this = Optional(); }
  /// The part, which is made where it is absent.
  constexpr T &make() {
    Has = true;
    return Value;
  }

  friend constexpr bool operator==(const Optional &,
                                   const Optional &) = default;
};

namespace detail {

/// Takes the place of a member of any type.
struct AnyMember {
  template <typename T> constexpr operator T() const; // never defined
};

template <std::size_t> using AnyMemberAt = AnyMember;

template <typename T, typename Numbers> struct CanHave;
template <typename T, std::size_t... I>
struct CanHave<T, std::integer_sequence<std::size_t, I...>> {
  static constexpr bool Value = requires { T{AnyMemberAt<I>{}...}; };
};

template <typename T, std::size_t N>
inline constexpr bool CanHaveMembers =
    CanHave<T, std::make_index_sequence<N>>::Value;

template <typename T, std::size_t N> constexpr std::size_t countMembers() {
  if constexpr (CanHaveMembers<T, N + 1>)
    return countMembers<T, N + 1>();
  else
    return N;
}

} // namespace detail

/// How many members the aggregate T has; an array counts as each of its
/// elements, and a base as one.
template <typename T>
  requires std::is_aggregate_v<T>
constexpr std::size_t arity() {
  return detail::countMembers<T, 0>();
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_AGGREGATES_H
