//===- Aggregates.h - list and optional types for constants -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Building blocks of the library's values. A Signature and an Algorithm are
// template arguments, so every type in them is structural: all members are
// public. std::optional and std::vector are not structural.
//
// Two template arguments are the same if all their members are, including
// members that no function reads. So an absent part always has the default
// value, and equality, identity and text agree.
//
// arity<T>() counts the members of an aggregate. Fields.cpp compares it with
// the list of fields, so that no field is missing. memberCount<T>() includes
// the members of bases: Shapes.h uses it to find misspelled members of user
// types.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_AGGREGATES_H
#define KPACK_CONVBUILDER_AGGREGATES_H

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace kpack::conv {

/// Holds up to \p Capacity values. The constructor rejects more at compile
/// time; push() returns false at run time.
template <typename Type, unsigned Capacity> struct List {
  unsigned Count = 0;
  Type Items[Capacity]{};

  constexpr List() = default;
  /// Too many values are a compile-time error in a constant expression, and a
  /// trap at run time.
  constexpr List(std::initializer_list<Type> Values) {
    for (const Type &Value : Values) {
      if (Count == Capacity)
        __builtin_trap();
      Items[Count++] = Value;
    }
  }

  constexpr unsigned size() const { return Count; }
  constexpr bool empty() const { return Count == 0; }
  constexpr const Type &operator[](unsigned I) const { return Items[I]; }
  constexpr Type &operator[](unsigned I) { return Items[I]; }
  constexpr const Type *begin() const { return Items; }
  constexpr const Type *end() const { return Items + Count; }
  constexpr Type *begin() { return Items; }
  constexpr Type *end() { return Items + Count; }

  /// Returns false if the list is full.
  constexpr bool push(const Type &Value) {
    if (Count == Capacity)
      return false;
    Items[Count++] = Value;
    return true;
  }

  friend constexpr bool operator==(const List &, const List &) = default;
};

/// A part that may be absent. Constructed from the part or from the arguments
/// of its constructor: `.tile = {128, 128, 32}`.
template <typename Type> struct Optional {
  bool Has = false;
  Type Value{};

  constexpr Optional() = default;
  constexpr Optional(const Type &V) : Has(true), Value(V) {}
  template <typename First, typename... Others>
    requires((std::is_enum_v<First> || sizeof...(Others) != 0) &&
             !std::is_same_v<First, Type> &&
             requires(First F, Others... O) { Type{F, O...}; })
  constexpr Optional(First F, Others... O) : Has(true), Value{F, O...} {}

  constexpr bool has() const { return Has; }
  constexpr explicit operator bool() const { return Has; }
  constexpr const Type &operator*() const { return Value; }
  constexpr Type &operator*() { return Value; }
  constexpr const Type *operator->() const { return &Value; }
  constexpr Type *operator->() { return &Value; }

  constexpr void reset() { *this = Optional(); }
  /// Returns the part, and creates it if it is absent.
  constexpr Type &make() {
    Has = true;
    return Value;
  }

  friend constexpr bool operator==(const Optional &,
                                   const Optional &) = default;
};

namespace detail {

/// Initializes a member of any type. Never called; it has a body because
/// std::optional of a type without linkage could not be counted otherwise.
struct AnyMember {
  template <typename Type> constexpr operator Type() const {
    __builtin_unreachable();
  }
};

template <std::size_t> using AnyMemberAt = AnyMember;

template <typename Type, typename Numbers> struct CanHave;
template <typename Type, std::size_t... I>
struct CanHave<Type, std::integer_sequence<std::size_t, I...>> {
  static constexpr bool Value = requires { Type{AnyMemberAt<I>{}...}; };
};

template <typename Type, std::size_t Count>
inline constexpr bool CanHaveMembers =
    CanHave<Type, std::make_index_sequence<Count>>::Value;

template <typename Type, std::size_t Count>
constexpr std::size_t countMembers() {
  if constexpr (CanHaveMembers<Type, Count + 1>)
    return countMembers<Type, Count + 1>();
  else
    return Count;
}

} // namespace detail

/// Counts the members of the aggregate Type; an array counts as its elements,
/// and a base as one.
template <typename Type>
  requires std::is_aggregate_v<Type>
constexpr std::size_t arity() {
  return detail::countMembers<Type, 0>();
}

template <typename Aggregate>
  requires std::is_aggregate_v<Aggregate>
constexpr std::size_t memberCount();

namespace detail {

/// Initializes a base of \p Outer.
template <typename Outer> struct AnyBase {
  template <typename Base>
    requires(std::is_base_of_v<Base, Outer> && !std::is_same_v<Base, Outer>)
  constexpr operator Base() const {
    __builtin_unreachable();
  }
};

/// Initializes a base with at least \p Members members.
template <typename Outer, std::size_t Members> struct LargeBase {
  template <typename Base>
    requires(std::is_base_of_v<Base, Outer> && !std::is_same_v<Base, Outer> &&
             memberCount<Base>() >= Members)
  constexpr operator Base() const {
    __builtin_unreachable();
  }
};

template <std::size_t, typename Any> using AnyAt = Any;

template <typename Outer, typename Last, typename Numbers> struct CanBegin;
template <typename Outer, typename Last, std::size_t... Number>
struct CanBegin<Outer, Last, std::integer_sequence<std::size_t, Number...>> {
  static constexpr bool Value =
      requires { Outer{AnyAt<Number, AnyBase<Outer>>{}..., Last{}}; };
};

/// True if Last can initialize base number Before, counted from 0.
template <typename Outer, typename Last, std::size_t Before>
inline constexpr bool HasBaseAt =
    CanBegin<Outer, Last, std::make_index_sequence<Before>>::Value;

/// Counts the members of base number Before. Tests "at least N" until that
/// fails, because a test for exactly N would also match the first base of a
/// base.
template <typename Outer, std::size_t Before, std::size_t Members>
constexpr std::size_t membersOfBase() {
  if constexpr (HasBaseAt<Outer, LargeBase<Outer, Members + 1>, Before>)
    return membersOfBase<Outer, Before, Members + 1>();
  else
    return Members;
}

/// Counts the members of all bases, less the one that arity() counts for each.
template <typename Outer, std::size_t Before>
constexpr std::size_t inheritedMembers() {
  if constexpr (HasBaseAt<Outer, AnyBase<Outer>, Before>)
    return membersOfBase<Outer, Before, 0>() - 1 +
           inheritedMembers<Outer, Before + 1>();
  else
    return 0;
}

} // namespace detail

/// Counts the members of the aggregate, including those of its bases. An array
/// counts as its elements; static members do not count.
template <typename Aggregate>
  requires std::is_aggregate_v<Aggregate>
constexpr std::size_t memberCount() {
  return arity<Aggregate>() + detail::inheritedMembers<Aggregate, 0>();
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_AGGREGATES_H
