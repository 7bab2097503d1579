//===- Filter.cpp - entries that a command line selects -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand such as "deadbeef" may be a kernel's name and the beginning of a
// key; both match. Keys are printed in lower case, and only lower case counts
// as a key. matches() tries every operand for each entry, even after a match:
// each records whether it matched anything, so that a mistyped name is an error
// even beside operands with matches.
//
//===----------------------------------------------------------------------===//
#include "Filter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;

bool jittool::isKeyPrefix(StringRef Text) {
  return Text.size() >= 4 && Text.size() <= 2 * sizeof(jit::Digest) &&
         all_of(Text, [](char C) { return isHexDigit(C) && !isUpper(C); });
}

Expected<Filter> Filter::create(const CacheInvocation &I,
                                ArrayRef<std::string> Operands) {
  Filter F;
  for (const std::string &Text : Operands) {
    Expected<Glob> Name = Glob::create("", Text);
    if (!Name)
      return Name.takeError();
    F.Operands.push_back({std::move(*Name)});
  }
  if (Error E =
          GlobList::create("--target=", I.Args.getAllArgValues(OPT_target_EQ))
              .moveInto(F.Targets))
    return E;
  for (const std::string &Kind : I.Args.getAllArgValues(OPT_kind_EQ))
    F.Kinds.insert(Kind);
  F.OnlyPinned = I.Args.hasArg(OPT_pinned);
  return F;
}

bool Filter::isEmpty() const {
  return Operands.empty() && Targets.empty() && Kinds.empty() && !OnlyPinned;
}

bool Filter::matches(const jit::StoreItem &Item, const jit::EntryInfo &Info) {
  if ((OnlyPinned && !Item.Pinned) ||
      (!Kinds.empty() && !Kinds.count(Info.Kind)) ||
      !Targets.matches(Info.Target))
    return false;
  bool Matches = Operands.empty();
  std::string Key = jit::toHex(Item.Id);
  for (Operand &O : Operands) {
    bool Here = O.Name.matches(Info.Name) ||
                (isKeyPrefix(O.Name.text()) &&
                 StringRef(Key).starts_with(O.Name.text()));
    O.Used |= Here;
    Matches |= Here;
  }
  return Matches;
}

void Filter::reportUnused(const CacheInvocation &I) const {
  for (const Operand &O : Operands)
    if (!O.Used)
      I.S.error(O.Name.text() + ": no such entry in the cache; see " +
                I.Door.quoted("list"));
}
