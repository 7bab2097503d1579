//===- Glob.cpp - glob patterns for names ---------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm::GlobPattern with kpack's messages and with a limit: braces multiply
// alternatives, "{a,b}{c,d}" has four, and a pattern may be hostile.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Glob.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"

using namespace kpack;
using namespace llvm;

Expected<Glob> Glob::create(StringRef Option, std::string Text) {
  constexpr size_t MostAlternatives = 1024;
  Glob New;
  New.Text = std::make_unique<std::string>(std::move(Text));
  if (Error E = GlobPattern::create(*New.Text, MostAlternatives)
                    .moveInto(New.Pattern))
    return objectError(
        (Option + *New.Text).str(),
        toString(std::move(E)) +
            "; put a '\\' in front of characters that are meant literally");
  return New;
}

Expected<GlobList> GlobList::create(StringRef Option,
                                    std::vector<std::string> Texts) {
  GlobList List;
  List.Option = Option.str();
  for (std::string &Text : Texts)
    if (Error E = Glob::create(Option, std::move(Text))
                      .moveInto(List.Globs.emplace_back()))
      return std::move(E);
  return List;
}

/// Commas in braces, in brackets and after a backslash do not separate items.
static std::vector<std::string> splitAtCommas(StringRef Text) {
  std::vector<std::string> Parts(1);
  int Depth = 0;
  for (size_t I = 0; I != Text.size(); ++I) {
    char C = Text[I];
    if (C == ',' && Depth <= 0) {
      Parts.emplace_back();
      continue;
    }
    Depth += (C == '{' || C == '[') - (C == '}' || C == ']');
    Parts.back() += C;
    if (C == '\\' && I + 1 != Text.size())
      Parts.back() += Text[++I];
  }
  return Parts;
}

Expected<GlobList> GlobList::createFromLists(StringRef Option,
                                             ArrayRef<std::string> Lists,
                                             StringRef WhatToGive) {
  std::vector<std::string> Texts;
  for (const std::string &List : Lists)
    for (std::string &Text : splitAtCommas(List)) {
      if (Text.empty())
        return objectError((Option + List).str(),
                           "a name in it is empty; give " + WhatToGive);
      Texts.push_back(std::move(Text));
    }
  return create(Option, std::move(Texts));
}

bool GlobList::matches(StringRef Name) const {
  return Globs.empty() ||
         any_of(Globs, [&](const Glob &G) { return G.matches(Name); });
}

std::string GlobList::describe() const {
  std::string Text;
  for (const Glob &G : Globs)
    Text += " " + Option + G.text();
  return Text;
}
