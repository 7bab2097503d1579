//===- EntryFilter.cpp - --arch= and --binary= ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See kpack/Tool/EntryFilter.h.
//
//===----------------------------------------------------------------------===//
#include "kpack/Tool/EntryFilter.h"
#include "kpack/Offload/Errors.h"
#include "kpack/Tool/Session.h"
#include "llvm/ADT/STLExtras.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

Error EntryFilter::addPatterns(std::vector<std::unique_ptr<Pattern>> &To,
                               StringRef Option,
                               std::vector<std::string> Texts) {
  for (std::string &Text : Texts) {
    auto P = std::make_unique<Pattern>();
    P->Text = std::move(Text);
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

/// The parts of \p Text between commas that stand in no brackets or braces and
/// behind no backslash.
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

Expected<EntryFilter> EntryFilter::create(std::vector<std::string> Arches,
                                          std::vector<std::string> Binaries) {
  EntryFilter Filter;
  std::vector<std::string> Single;
  for (const std::string &List : Arches)
    for (std::string &Arch : splitAtCommas(List)) {
      if (Arch.empty())
        return offload::objectError("--arch=" + List,
                                    "a name in it is empty; give target ids");
      Single.push_back(std::move(Arch));
    }
  if (Error E = addPatterns(Filter.Arches, "--arch=", std::move(Single)))
    return E;
  if (Error E = addPatterns(Filter.Binaries, "--binary=", std::move(Binaries)))
    return E;
  return Filter;
}

bool EntryFilter::anyMatches(ArrayRef<std::unique_ptr<Pattern>> Patterns,
                             StringRef Name) {
  return Patterns.empty() ||
         any_of(Patterns, [&](const std::unique_ptr<Pattern> &P) {
           return P->Text == Name || P->Glob.match(Name);
         });
}

bool EntryFilter::matchesArch(StringRef Arch) const {
  return anyMatches(Arches, Arch);
}

bool EntryFilter::matches(const ArchiveEntry &Entry) const {
  return anyMatches(Arches, Entry.Arch) && anyMatches(Binaries, Entry.Binary);
}

std::string EntryFilter::describe() const {
  std::string Text;
  for (const std::unique_ptr<Pattern> &P : Binaries)
    Text += " --binary=" + P->Text;
  for (const std::unique_ptr<Pattern> &P : Arches)
    Text += " --arch=" + P->Text;
  return StringRef(Text).ltrim().str();
}
