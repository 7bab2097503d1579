//===- Diff.cpp - which fields of two values differ -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over both values at once. A part that only one of them has is one
// difference, whatever is in it, and so is an element of the longer list.
//
//===----------------------------------------------------------------------===//
#include "ValueText.h"
#include "kpack/ConvBuilder/Describe.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::conv;

namespace {

class Comparison {
public:
  template <typename T>
  void compare(const T &Old, const T &New, const std::string &Path) {
    if (!(Old == New))
      Found.push_back({Path, valueText(Old), valueText(New)});
  }

  template <Fielded T>
  void compare(const T &Old, const T &New, const std::string &Path) {
    forEachField<T>([&](auto Member, const Field &F) {
      compare(Old.*Member, New.*Member, Path + '.' + std::string(F.Name));
    });
  }

  template <typename T>
  void compare(const Optional<T> &Old, const Optional<T> &New,
               const std::string &Path) {
    if (Old.has() && New.has())
      compare(*Old, *New, Path);
    else if (Old.has() || New.has())
      oneIsAbsent(Old.has() ? &*Old : nullptr, New.has() ? &*New : nullptr,
                  Path);
  }

  template <typename T, unsigned N>
  void compare(const List<T, N> &Old, const List<T, N> &New,
               const std::string &Path) {
    for (unsigned I = 0; I < std::max(Old.size(), New.size()); ++I) {
      std::string Element = Path + '[' + std::to_string(I) + ']';
      if (I < Old.size() && I < New.size())
        compare(Old[I], New[I], Element);
      else
        oneIsAbsent(I < Old.size() ? &Old[I] : nullptr,
                    I < New.size() ? &New[I] : nullptr, Element);
    }
  }

  std::vector<Difference> Found;

private:
  template <typename T>
  void oneIsAbsent(const T *Old, const T *New, const std::string &Path) {
    Found.push_back({Path, Old ? valueText(*Old) : "absent",
                     New ? valueText(*New) : "absent"});
  }
};

} // namespace

template <typename T>
std::vector<Difference> conv::detail::diff(const T &Old, const T &New) {
  Comparison Both;
  Both.compare(Old, New, std::string(ObjectName<T>));
  return std::move(Both.Found);
}

template std::vector<Difference> conv::detail::diff(const Signature &,
                                                    const Signature &);
template std::vector<Difference> conv::detail::diff(const Algorithm &,
                                                    const Algorithm &);
template std::vector<Difference> conv::detail::diff(const Problem &,
                                                    const Problem &);
