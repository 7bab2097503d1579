//===- kpack/ConvBuilder/NearestName.h - spelling suggestions ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the name that is most similar to a misspelled one: the fewest
// insertions, deletions and changes of letters, case-insensitive. Unlike LLVM's
// edit_distance() it is constexpr.
//
//   NearestName Near("inptu");
//   Near.offer("input");
//   Near.found()                "input"; empty if no name is similar
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_NEARESTNAME_H
#define KPACK_CONVBUILDER_NEARESTNAME_H

#include <cstddef>
#include <string_view>

namespace kpack::conv {

class NearestName {
public:
  constexpr explicit NearestName(std::string_view Asked)
      : Asked(Asked.substr(0, Longest)), Best(this->Asked.size() / 3 + 1) {}

  constexpr void offer(std::string_view Name) {
    if (Asked.size() == Longest || Name.size() > Longest)
      return;
    std::size_t Distance = distance(Name);
    // Ties go to a name with the same beginning: NHWGC for NHWC, not GNHWC.
    bool IsLiker = Found.empty() || (!startsAlike(Found) && startsAlike(Name));
    if (Distance > Best || (Distance == Best && !IsLiker))
      return;
    Best = Distance;
    Found = Name;
  }

  /// The misspelled name, truncated if it is very long.
  constexpr std::string_view asked() const { return Asked; }
  /// The first of the most similar names, or the first of them with the same
  /// first letter.
  constexpr std::string_view found() const { return Found; }

private:
  static constexpr std::size_t Longest = 48;

  static constexpr char lower(char C) {
    return C >= 'A' && C <= 'Z' ? static_cast<char>(C - 'A' + 'a') : C;
  }

  constexpr bool startsAlike(std::string_view Name) const {
    return !Asked.empty() && !Name.empty() &&
           lower(Asked.front()) == lower(Name.front());
  }
  constexpr std::size_t distance(std::string_view Name) const {
    std::size_t Row[Longest + 1] = {};
    for (std::size_t J = 0; J <= Name.size(); ++J)
      Row[J] = J;
    for (std::size_t I = 1; I <= Asked.size(); ++I) {
      std::size_t Corner = Row[0];
      Row[0] = I;
      for (std::size_t J = 1; J <= Name.size(); ++J) {
        std::size_t Change =
            Corner + (lower(Asked[I - 1]) != lower(Name[J - 1]));
        std::size_t Shift = (Row[J] < Row[J - 1] ? Row[J] : Row[J - 1]) + 1;
        Corner = Row[J];
        Row[J] = Change < Shift ? Change : Shift;
      }
    }
    return Row[Name.size()];
  }

  std::string_view Asked;
  std::string_view Found;
  std::size_t Best; ///< the largest distance that still counts as similar
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_NEARESTNAME_H
