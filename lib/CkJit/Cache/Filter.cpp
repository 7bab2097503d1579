//===- Filter.cpp - which entries a command line means --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Filter.h.
//
//===----------------------------------------------------------------------===//
#include "Filter.h"
#include "kpack/Offload/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

bool ckjit::isKeyPrefix(StringRef Text) {
  return Text.size() >= 4 && Text.size() <= 2 * sizeof(jit::Digest) &&
         all_of(Text, [](char C) { return isHexDigit(C) && !isUpper(C); });
}

Error Filter::add(Patterns &To, StringRef Option, ArrayRef<std::string> Texts) {
  for (const std::string &Text : Texts) {
    auto P = std::make_unique<Pattern>();
    P->Text = Text;
    // At most this many alternatives out of braces: "{a,b}{c,d}" has four.
    Expected<GlobPattern> Glob = GlobPattern::create(P->Text, 1024);
    if (!Glob)
      return offload::objectError(
          (Option + P->Text).str(),
          toString(Glob.takeError()) +
              "; put a '\\' in front of characters that are meant literally");
    P->Glob = std::move(*Glob);
    To.push_back(std::move(P));
  }
  return Error::success();
}

Expected<Filter> Filter::create(const Invocation &I,
                                ArrayRef<std::string> Operands) {
  Filter F;
  if (Error E = add(F.Operands, "", Operands))
    return E;
  if (Error E =
          add(F.Targets, "--target=", I.Args.getAllArgValues(OPT_target_EQ)))
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
      (!Kinds.empty() && !Kinds.count(Info.Kind)))
    return false;
  if (!Targets.empty() &&
      none_of(Targets, [&](const std::unique_ptr<Pattern> &P) {
        return P->Text == Info.Target || P->Glob.match(Info.Target);
      }))
    return false;
  bool Matches = Operands.empty();
  const std::string Key = jit::toHex(Item.Id);
  for (const std::unique_ptr<Pattern> &P : Operands) {
    const bool Here =
        P->Text == Info.Name || P->Glob.match(Info.Name) ||
        (isKeyPrefix(P->Text) && StringRef(Key).starts_with(P->Text));
    P->Used |= Here;
    Matches |= Here;
  }
  return Matches;
}

void Filter::reportUnused(tool::Session &S) const {
  for (const std::unique_ptr<Pattern> &P : Operands)
    if (!P->Used)
      S.error(P->Text +
              ": no such entry in the cache; see 'ck-jit cache list'");
}
