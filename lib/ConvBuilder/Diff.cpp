//===- Diff.cpp - differing fields of two descriptors ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over both values at once. A part that only one of them has is one
// difference, with all of its fields, and so is an element of the longer list.
//
//===----------------------------------------------------------------------===//
#include "AnyValue.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::conv;

namespace {

class Comparison {
public:
  /// Both have the same type.
  void compare(AnyValue Old, AnyValue New, const std::string &Path) {
    switch (Old.kind()) {
    case TypeKind::Struct:
      for (const MemberInfo &M : Old.members())
        compare(Old.member(M), New.member(M), Path + '.' + M.Of.Name);
      return;
    case TypeKind::Optional:
      return compareElement(Old, New, 0, Path);
    case TypeKind::List:
      for (unsigned I = 0; I < std::max(Old.size(), New.size()); ++I)
        compareElement(Old, New, I, Path + '[' + std::to_string(I) + ']');
      return;
    default:
      if (!(Old == New))
        Found.push_back({Path, valueText(Old), valueText(New)});
    }
  }

  std::vector<Difference> Found;

private:
  void compareElement(AnyValue Old, AnyValue New, unsigned I,
                      const std::string &Path) {
    bool IsInOld = I < Old.size(), IsInNew = I < New.size();
    if (IsInOld && IsInNew)
      compare(Old[I], New[I], Path);
    else if (IsInOld || IsInNew)
      Found.push_back({Path, IsInOld ? valueText(Old[I]) : "absent",
                       IsInNew ? valueText(New[I]) : "absent"});
  }
};

} // namespace

template <typename T>
std::vector<Difference> conv::detail::diff(const T &Old, const T &New) {
  Comparison Both;
  Both.compare(AnyValue(Old), AnyValue(New), std::string(ObjectName<T>));
  return std::move(Both.Found);
}

template std::vector<Difference> conv::detail::diff(const Signature &,
                                                    const Signature &);
template std::vector<Difference> conv::detail::diff(const Algorithm &,
                                                    const Algorithm &);
template std::vector<Difference> conv::detail::diff(const Problem &,
                                                    const Problem &);
