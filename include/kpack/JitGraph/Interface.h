//===- Interface.h - inputs, outputs and variables of a graph ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inputs, outputs and variables of a graph are declared once, as a struct
// over a phase. Its members have other types in each phase of a graph's life,
// so the compiler knows each name and its permitted uses:
//
//   template <class P> struct Encoder {
//     In<P, float> mel{};              // the {}: it may be left out of a list
//     In<P, std::int32_t> lengths{};   // of designators, without a warning
//     Out<P, float> encoded{};
//     Var<P, 1, 8> b{};
//     Var<P, 1, 3000> t{};
//   };
//
//   phase   In                Out               Var          for
//   Spec    shape, required   -                 bounds       prepare({...})
//   Trace   Tensor<T>         assigned          Dim          building
//   Live    elements          View<const T>     value        between calls
//   Bind    pointer, or none  -                 value, or none  execute({...})
//   Names   position          position          position     InterfaceOf.h
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_INTERFACE_H
#define KPACK_JITGRAPH_INTERFACE_H

#include "kpack/JitGraph/Dim.h"
#include "kpack/JitGraph/TensorRef.h"
#include "kpack/JitGraph/VarBounds.h"
#include "kpack/JitGraph/View.h"

#include <cstddef>
#include <initializer_list>
#include <type_traits>

namespace kpack::jit {

struct Spec {};
struct Trace {};
struct Live {};
struct Bind {};
struct Names {};

namespace graph_detail {

template <typename> inline constexpr bool Never = false;

/// The checks of every In and Out, in all phases.
template <typename Item> struct CheckedElement {
  static_assert(Element<Item>,
                "In and Out: the element type is none of float, float16, "
                "bfloat16, int32_t, int64_t, uint8_t and bool");
};

/// The checks of every Var.
template <int64_t Lo, int64_t Hi> struct CheckedBounds {
  static_assert(Lo <= Hi, "Var: the lower bound is above the upper bound");
  static constexpr DimRange Ceiling = {Lo, Hi};
};

/// The index of a member in its struct. With a constructor, so that the braces
/// around members cannot be left out and members can be counted.
class Position {
public:
  constexpr Position() {}
  unsigned Place = 0;
};

template <typename Range>
concept HasElements = requires(const Range &R) {
  R.data();
  R.size();
};

} // namespace graph_detail

template <class P, class Item> class In;
template <class P, class Item> class Out;
template <class P, int64_t Lo, int64_t Hi> class Var;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

template <class Item>
class In<Names, Item> : public graph_detail::Position,
                        graph_detail::CheckedElement<Item> {};

template <class Item>
class Out<Names, Item> : public graph_detail::Position,
                         graph_detail::CheckedElement<Item> {};

template <int64_t Lo, int64_t Hi>
class Var<Names, Lo, Hi> : public graph_detail::Position,
                           public graph_detail::CheckedBounds<Lo, Hi> {};

//===----------------------------------------------------------------------===//
// Spec
//===----------------------------------------------------------------------===//

/// One dimension of an input: a number, or a variable of the same struct, whose
/// value at each call is the extent.
class Extent {
public:
  template <std::integral Number>
  constexpr Extent(Number Given) : Value(static_cast<int64_t>(Given)) {}
  template <int64_t Lo, int64_t Hi>
  constexpr Extent(Var<Names, Lo, Hi> V) : Value(V.Place), IsVariable(true) {}

  constexpr bool isVariable() const { return IsVariable; }
  /// Returns the number, or the variable's position.
  constexpr int64_t value() const { return Value; }

private:
  int64_t Value;
  bool IsVariable = false;
};

template <class Item>
class In<Spec, Item> : graph_detail::CheckedElement<Item> {
public:
  In() {
    static_assert(graph_detail::Never<Item>,
                  "prepare: an input has no shape; give "
                  "every In one, as in {.x = {8, 80}}");
  }
  In(std::initializer_list<Extent> Shape) : Shape(Shape) {}
  explicit In(std::vector<Extent> Shape) : Shape(std::move(Shape)) {}

  std::span<const Extent> shape() const { return Shape; }

private:
  std::vector<Extent> Shape;
};

template <class Item>
class Out<Spec, Item> : graph_detail::CheckedElement<Item> {};

template <int64_t Lo, int64_t Hi>
class Var<Spec, Lo, Hi> : public graph_detail::CheckedBounds<Lo, Hi> {
public:
  constexpr Var() = default;
  constexpr Var(int64_t Min, int64_t Max) : Asked{Min, Max} {}
  constexpr Var(VarBounds Bounds) : Asked(Bounds) {}
  template <std::integral Number> constexpr Var(Number) {
    static_assert(graph_detail::Never<Number>,
                  "prepare: one number for a Var; say fixed(n), at_most(n), "
                  "at_least(n) or {lo, hi}");
  }

  Result<DimRange> range(std::string_view Name) const {
    return Asked.within({Lo, Hi}, Name);
  }

private:
  VarBounds Asked;
};

//===----------------------------------------------------------------------===//
// Trace
//===----------------------------------------------------------------------===//

template <class Item>
class In<Trace, Item> : public Tensor<Item>,
                        graph_detail::CheckedElement<Item> {
public:
  In() = default;
  explicit In(Tensor<Item> Placeholder) : Tensor<Item>(Placeholder) {}
};

template <class Item>
class Out<Trace, Item> : graph_detail::CheckedElement<Item> {
public:
  Out() = default;
  template <typename U> Out &operator=(const Tensor<U> &Result) {
    static_assert(std::is_same_v<Item, U>,
                  "Out: assigned a tensor of another element type; cast it");
    Assigned = Result;
    return *this;
  }

  /// Its id is None until a tensor is assigned.
  TensorRef assigned() const { return Assigned; }

private:
  TensorRef Assigned;
};

template <int64_t Lo, int64_t Hi>
class Var<Trace, Lo, Hi> : public Dim,
                           public graph_detail::CheckedBounds<Lo, Hi> {
public:
  Var() = default;
  explicit Var(Dim Value) : Dim(Value) {}
};

//===----------------------------------------------------------------------===//
// Live
//===----------------------------------------------------------------------===//

/// The elements at the upper bounds, in memory of the graph that stays in
/// place.
template <class Item>
class In<Live, Item> : graph_detail::CheckedElement<Item> {
public:
  In() = default;
  explicit In(std::span<Item> Elements) : Elements(Elements) {}

  Item *data() const { return Elements.data(); }
  size_t size() const { return Elements.size(); }
  Item *begin() const { return data(); }
  Item *end() const { return data() + size(); }

private:
  std::span<Item> Elements;
};

template <class Item>
class Out<Live, Item> : public View<const Item>,
                        graph_detail::CheckedElement<Item> {
public:
  Out() = default;
  explicit Out(View<const Item> Result) : View<const Item>(Result) {}
};

/// The value of the last call.
template <int64_t Lo, int64_t Hi>
class Var<Live, Lo, Hi> : public graph_detail::CheckedBounds<Lo, Hi> {
public:
  Var() = default;
  explicit Var(int64_t Value) : Value(Value) {}
  int64_t value() const { return Value; }

private:
  int64_t Value = Hi;
};

//===----------------------------------------------------------------------===//
// Bind
//===----------------------------------------------------------------------===//

/// Elements of the caller, which the call reads instead of the graph's; left
/// out: as in the last call. The call refuses a null pointer. To restore the
/// graph's elements, pass io()'s member.
template <class Item>
class In<Bind, Item> : graph_detail::CheckedElement<Item> {
public:
  In() = default;
  template <typename U>
  In(const U *Pointer) : In(std::span(Pointer, size_t{})) {
    IsCounted = false;
  }
  In(std::nullptr_t) : In(static_cast<const Item *>(nullptr)) {}
  template <typename U, size_t Length> In(std::span<U, Length> Other) {
    static_assert(std::is_same_v<std::remove_cv_t<U>, Item>,
                  "In: bound to elements of another type");
    if constexpr (std::is_same_v<std::remove_cv_t<U>, Item>)
      Elements = Other;
    IsGiven = true;
  }
  template <graph_detail::HasElements Range>
  In(const Range &R) : In(std::span(R.data(), R.size())) {}

  bool isBound() const { return IsGiven; }
  const Item *data() const { return Elements.data(); }
  /// Returns nullopt for a pointer, whose count is not known.
  std::optional<size_t> size() const {
    return IsCounted ? std::optional(Elements.size()) : std::nullopt;
  }

private:
  std::span<const Item> Elements;
  bool IsCounted = true, IsGiven = false;
};

template <class Item>
class Out<Bind, Item> : graph_detail::CheckedElement<Item> {};

/// None: as in the last call; the upper bound in the first one.
template <int64_t Lo, int64_t Hi>
class Var<Bind, Lo, Hi> : public graph_detail::CheckedBounds<Lo, Hi> {
public:
  Var() = default;
  template <std::integral Number>
  Var(Number Value) : Bound(static_cast<int64_t>(Value)) {}

  std::optional<int64_t> bound() const { return Bound; }

private:
  std::optional<int64_t> Bound;
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_INTERFACE_H
