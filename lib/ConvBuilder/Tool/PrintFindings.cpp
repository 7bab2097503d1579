//===- PrintFindings.cpp - printed list of violations ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PrintFindings.h.
//
//===----------------------------------------------------------------------===//
#include "PrintFindings.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

void conv::printFindings(raw_ostream &OS, const Report &Why) {
  for (unsigned I = 0; I < Why.size(); ++I)
    OS << "requirement: " << StringRef(Why.textOf(I)) << '\n';
  if (Why.total() > Why.size())
    OS << "requirement: and " << Why.total() - Why.size() << " more\n";
}

void conv::printFindings(json::OStream &J, const Report &Why) {
  J.attributeArray("findings", [&] {
    for (unsigned I = 0; I < Why.size(); ++I)
      J.object([&] {
        Finding F = Why[I];
        J.attribute("id", StringRef(F.Id));
        J.attribute("path", StringRef(F.Path));
        J.attribute("fact", StringRef(F.Fact));
        J.attribute("remedy", StringRef(F.Remedy));
        J.attribute("limit", F.Limit);
      });
  });
  J.attribute("findings_total", Why.total());
}
