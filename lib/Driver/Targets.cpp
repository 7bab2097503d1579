//===- Targets.cpp - GPU targets of --offload-arch= -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options are evaluated from left to right, so their order matters:
//
//   --offload-arch=gfx90a,gfx942 --no-offload-arch=all --offload-arch=gfx1100
//
// compiles for gfx1100 alone. Ids are made canonical before they are compared,
// so that --no-offload-arch= removes one with its features in another order.
// The default applies whenever the list ends up empty. The set keeps the result
// sorted and free of duplicates.
//
//===----------------------------------------------------------------------===//

#include "Targets.h"
#include "ClangOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <set>

using namespace llvm;
using namespace llvm::opt;

namespace kpack::driver {

std::string canonicalTargetId(StringRef Id) {
  SmallVector<StringRef, 4> Parts;
  Id.split(Parts, ':');
  MutableArrayRef<StringRef> Features = MutableArrayRef(Parts).drop_front();
  for (StringRef Feature : Features)
    if (Feature.size() < 2 || !StringRef("+-").contains(Feature.back()))
      return Id.str();
  llvm::sort(Features, [](StringRef L, StringRef R) {
    return L.drop_back() < R.drop_back();
  });
  std::string Result = Parts.front().str();
  for (StringRef Feature : Features)
    Result += ":" + Feature.str();
  return Result;
}

std::vector<std::string> offloadTargets(const ArgList &Args) {
  std::set<std::string> Targets;
  for (const Arg *A : Args) {
    bool Adds = A->getOption().matches(options::OPT_offload_arch_EQ);
    if (!Adds && !A->getOption().matches(options::OPT_no_offload_arch_EQ))
      continue;
    // LLVM 19's table does not split lists at commas.
    SmallVector<StringRef, 8> Values;
    for (StringRef List : A->getValues())
      List.split(Values, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef Value : Values) {
      if (Adds)
        Targets.insert(canonicalTargetId(Value));
      else if (Value == "all")
        Targets.clear();
      else
        Targets.erase(canonicalTargetId(Value));
    }
  }
  if (Targets.empty())
    Targets.insert(DefaultTarget.str());
  return std::vector<std::string>(Targets.begin(), Targets.end());
}

} // namespace kpack::driver
