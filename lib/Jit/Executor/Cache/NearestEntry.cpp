//===- NearestEntry.cpp - explanation of a cache miss ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache has no index of names, so the search reads every entry of every
// layer. That takes seconds for a large cache, hence the deadline: a less
// helpful message is better than a late error.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/NearestEntry.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

/// Limit for a short text; a new compiler changes hundreds of headers.
static constexpr size_t MaxShown = 3;

static std::string textOf(const KeyDifference &D) {
  if (D.Before.empty())
    return D.Name + " " + D.After + " added";
  if (D.After.empty())
    return D.Name + " " + D.Before + " gone";
  return D.Name + " " + D.Before + " -> " + D.After;
}

std::string jit::getShortText(const std::vector<KeyDifference> &All) {
  std::string Text;
  for (size_t I = 0; I < std::min(All.size(), MaxShown); ++I)
    Text += (I ? ", " : "") + textOf(All[I]);
  if (All.size() > MaxShown)
    Text += " and " + std::to_string(All.size() - MaxShown) + " more";
  return Text;
}

/// Returns true if \p Name begins with \p Start; sets \p Rest to the remainder.
static bool begins(const std::string &Name, std::string_view Start,
                   std::string &Rest) {
  if (Name.compare(0, Start.size(), Start) != 0)
    return false;
  Rest = Name.substr(Start.size());
  return true;
}

std::string jit::getMeaning(const KeyDifference &D) {
  static constexpr struct {
    const char *Start, *What, *Gone;
  } Files[] = {
      {"include ", "header ", " is not included any more"},
      {"link ", "linked file ", " is not linked any more"},
      {"named ", "file of a flag ", " is not named any more"},
  };
  static constexpr std::pair<const char *, const char *> Whole[] = {
      {"compiler", "another compiler"},
      {"target", "another GPU"},
      {"processor", "another processor"},
      {"source", "source edited"},
      {"language", "another language"},
      {"schema", "key of another version of kpack"}};
  std::string Change = D.Before.empty()  ? " added"
                       : D.After.empty() ? " gone"
                                         : " changed";
  std::string Rest;
  for (const auto &File : Files)
    if (begins(D.Name, File.Start, Rest))
      return File.What + Rest +
             (D.Before.empty()  ? " is new"
              : D.After.empty() ? File.Gone
                                : " edited");
  if (begins(D.Name, "environment ", Rest))
    return "environment variable " + Rest + Change;
  for (const auto &[Name, Meaning] : Whole)
    if (D.Name == Name)
      return Meaning;
  return (D.Name == "link-flag" ? "link flag" : D.Name) + Change;
}

std::optional<NearestEntry>
jit::findNearest(const std::vector<const Store *> &Layers,
                 const std::string &Name, const std::string &Kind,
                 const KeyRecord &Key,
                 std::chrono::steady_clock::time_point Deadline) {
  std::optional<NearestEntry> Nearest;
  for (const Store *Layer : Layers)
    for (const StoreItem &Item : Layer->list()) {
      if (std::chrono::steady_clock::now() > Deadline)
        return Nearest;
      Result<StoredEntry> Entry = Layer->describe(Item.Id);
      if (!Entry)
        continue;
      EntryInfo &Info = Entry->Info;
      bool IsOfKind =
          Kind.empty() ? !isAuxiliaryKind(Info.Kind) : Info.Kind == Kind;
      // An entry of another name may have the same content.
      if (Item.Id != Key.Id && (Info.Name != Name || !IsOfKind))
        continue;
      std::vector<KeyDifference> All = explain(Info.Key, Key);
      if (Nearest && (All.size() > Nearest->Differences.size() ||
                      (All.size() == Nearest->Differences.size() &&
                       Info.Created <= Nearest->Info.Created)))
        continue;
      Nearest = NearestEntry{Item.Id, std::move(Info), std::move(All)};
    }
  return Nearest;
}

std::optional<NearestEntry>
NearestEntryFinder::find(const std::vector<const Store *> &Layers,
                         const std::string &Name, const std::string &Kind,
                         const KeyRecord &Key) {
  constexpr Clock::duration Most = std::chrono::seconds(1);
  Clock::duration Left = Most - Clock::duration(Spent.load());
  if (Left <= Clock::duration(0))
    return std::nullopt;
  Clock::time_point Start = Clock::now();
  std::optional<NearestEntry> Found =
      findNearest(Layers, Name, Kind, Key, Start + Left);
  Spent += (Clock::now() - Start).count();
  return Found;
}
