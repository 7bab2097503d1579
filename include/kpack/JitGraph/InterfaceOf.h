//===- JitGraph/InterfaceOf.h - reflection on graph interfaces --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of members of an interface (Interface.h), their kinds and names,
// and a loop over them in any phase. Checks the rules for the whole struct,
// with messages that name the broken rule.
//
//   InterfaceOf<Encoder>::Count                  // 5
//   InterfaceOf<Encoder>::name(0)                // "mel"
//   InterfaceOf<Encoder>::forEach(Io, [](auto &Member, size_t Place) {...});
//
// Members are counted by the initializers that the struct accepts. Names are
// parsed from the compiler's text for an address; if a compiler prints another
// form, members are named in0, out2, var3. Names are for messages and text
// only.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_INTERFACEOF_H
#define KPACK_JITGRAPH_INTERFACEOF_H

#include "kpack/JitGraph/Interface.h"
#include "kpack/JitGraph/TieMembers.h"

#include <array>
#include <string>

namespace kpack::jit {

enum class MemberKind { In, Out, Var, None };

namespace graph_detail {

/// Converts to a member of any type.
struct Anything {
  constexpr explicit Anything(size_t) {}
  template <typename Member> constexpr operator Member() const;
};

template <typename Struct, size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { Struct{Anything(I)...}; };
}

template <typename Struct, size_t... Less>
constexpr size_t mostTaken(std::index_sequence<Less...>) {
  size_t Most = 0;
  ((Most =
        takes<Struct>(std::make_index_sequence<Less + 1>()) ? Less + 1 : Most),
   ...);
  return Most;
}

/// Returns the number of members; MaxMembers + 1 if there are more than
/// MaxMembers, 0 for a struct with constructors. Tries all numbers without a
/// recursion: clang would never end a recursion, and use all memory, if the
/// struct itself has an error.
template <typename Struct> constexpr size_t countMembers() {
  if constexpr (std::is_aggregate_v<Struct>)
    return mostTaken<Struct>(std::make_index_sequence<MaxMembers + 1>());
  else
    return 0;
}

template <typename> inline constexpr MemberKind KindOf = MemberKind::None;
template <class P, class Item>
inline constexpr MemberKind KindOf<In<P, Item>> = MemberKind::In;
template <class P, class Item>
inline constexpr MemberKind KindOf<Out<P, Item>> = MemberKind::Out;
template <class P, int64_t Lo, int64_t Hi>
inline constexpr MemberKind KindOf<Var<P, Lo, Hi>> = MemberKind::Var;

/// An object whose members have constant addresses.
template <typename Struct> struct Example {
  static constexpr Struct Value{};
};

template <const auto *Member> constexpr std::string_view prettyName() {
  return __PRETTY_FUNCTION__;
}

/// Returns "mel" for "... [Member = &...Value.mel]" (clang) and for "... [with
/// const auto* Member = (& ...::Value.Encoder<Names>::mel); ...]" (GCC); empty
/// for other forms.
constexpr std::string_view memberName(std::string_view Pretty) {
  constexpr std::string_view Start = "Member = ";
  size_t Begin = Pretty.find(Start);
  if (Begin == std::string_view::npos)
    return {};
  Pretty.remove_prefix(Begin + Start.size());
  Pretty = Pretty.substr(0, Pretty.find_first_of(";]"));
  while (!Pretty.empty() && Pretty.back() == ')')
    Pretty.remove_suffix(1);
  auto IsWordChar = [](char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
           (C >= '0' && C <= '9') || C == '_';
  };
  size_t First = Pretty.size();
  while (First && IsWordChar(Pretty[First - 1]))
    --First;
  bool IsMember =
      First && (Pretty[First - 1] == '.' || Pretty[First - 1] == ':');
  std::string_view Name = Pretty.substr(First);
  bool IsIdentifier = !Name.empty() && !(Name[0] >= '0' && Name[0] <= '9');
  return IsMember && IsIdentifier ? Name : std::string_view();
}

} // namespace graph_detail

template <template <class> class Io> class InterfaceOf {
  using Positions = Io<Names>;
  static constexpr size_t Counted = graph_detail::countMembers<Positions>();
  static_assert(Counted != 0, "a graph's interface is a struct of In, Out and "
                              "Var members, without a base or a constructor");
  static_assert(Counted <= graph_detail::MaxMembers,
                "a graph's interface has at most 32 members; to raise the "
                "limit see kpack/JitGraph/TieMembers.h");

public:
  /// 0 for a struct that cannot be enumerated, so that one mistake gives one
  /// message.
  static constexpr size_t Count =
      Counted <= graph_detail::MaxMembers ? Counted : 0;

  static constexpr MemberKind kind(size_t Place) { return Kinds[Place]; }
  static constexpr size_t countOf(MemberKind Kind) {
    size_t Found = 0;
    for (MemberKind Each : Kinds)
      Found += Each == Kind;
    return Found;
  }

  /// Returns the member's name.
  static std::string name(size_t Place) {
    std::string_view Name = names()[Place];
    if (!Name.empty())
      return std::string(Name);
    constexpr const char *Prefixes[] = {"in", "out", "var", "member"};
    return Prefixes[static_cast<size_t>(Kinds[Place])] + std::to_string(Place);
  }

  /// Calls F(member, place) for each member, in order.
  template <class P, typename Function>
  static constexpr void forEach(Io<P> &Object, Function F) {
    loop(Object, F, Places());
  }
  template <class P, typename Function>
  static constexpr void forEach(const Io<P> &Object, Function F) {
    loop(Object, F, Places());
  }

  /// Returns members that know their places, for shapes with variables.
  static constexpr Io<Names> positions() {
    Io<Names> All{};
    forEach(All, [](graph_detail::Position &Member, size_t Place) {
      Member.Place = static_cast<unsigned>(Place);
    });
    return All;
  }

private:
  using Places = std::make_index_sequence<Count>;

  template <typename Struct, typename Function, size_t... I>
  static constexpr void loop(Struct &Object, Function &F,
                             std::index_sequence<I...>) {
    if constexpr (Count != 0) {
      auto Members = graph_detail::tieMembers<Count>(Object);
      (F(std::get<I>(Members), I), ...);
    }
  }

  template <size_t... I>
  static constexpr std::array<MemberKind, Count>
  kinds(std::index_sequence<I...>) {
    if constexpr (Count != 0) {
      using Members = decltype(graph_detail::tieMembers<Count>(
          std::declval<Io<Names> &>()));
      return {graph_detail::KindOf<
          std::remove_reference_t<std::tuple_element_t<I, Members>>>...};
    } else {
      return {};
    }
  }
  static constexpr std::array<MemberKind, Count> Kinds = kinds(Places());

  template <size_t Place> static constexpr const auto *example() {
    return &std::get<Place>(graph_detail::tieMembers<Count>(
        graph_detail::Example<Positions>::Value));
  }
  template <size_t... I>
  static constexpr std::array<std::string_view, Count>
  names(std::index_sequence<I...>) {
    return {
        graph_detail::memberName(graph_detail::prettyName<example<I>()>())...};
  }
  static constexpr std::array<std::string_view, Count> names() {
    return names(Places());
  }

  static constexpr bool hasOnly() { return countOf(MemberKind::None) == 0; }
  static_assert(Count == 0 || hasOnly(),
                "a member of a graph's interface is none of In, Out and Var");
  static_assert(Count == 0 || countOf(MemberKind::In) != 0,
                "a graph's interface has no In: nothing would ever change");
  static_assert(Count == 0 || countOf(MemberKind::Out) != 0,
                "a graph's interface has no Out: nobody would see a result");
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_INTERFACEOF_H
