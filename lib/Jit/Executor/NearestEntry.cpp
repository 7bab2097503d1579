//===- NearestEntry.cpp - why there is none in the cache ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing in a cache is found by name, so every entry of every layer is looked
// at; of those with the name and kind, the one whose key differs in the fewest
// fields is the nearest, and of several the first. Reading a large cache takes
// seconds, hence the deadline: a message that is less helpful is better than an
// error that comes late. At most three differences are shown.
//
//===----------------------------------------------------------------------===//
#include "NearestEntry.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

/// Differences in a message; a new compiler brings hundreds of headers.
static constexpr size_t MaxShown = 3;

static std::string textOf(const KeyDifference &D) {
  if (D.Before.empty())
    return D.Name + " " + D.After + " added";
  if (D.After.empty())
    return D.Name + " " + D.Before + " gone";
  return D.Name + " " + D.Before + " -> " + D.After;
}

/// The fewest differences to an entry of that name, looked for until
/// \p Deadline.
static std::vector<KeyDifference>
fewestDifferences(const std::vector<std::unique_ptr<Store>> &Layers,
                  const CacheRequest &Request,
                  std::chrono::steady_clock::time_point Deadline) {
  std::vector<KeyDifference> Fewest;
  for (const std::unique_ptr<Store> &Layer : Layers)
    for (const StoreItem &Item : Layer->list()) {
      if (std::chrono::steady_clock::now() > Deadline)
        break;
      Result<StoredEntry> Entry = Layer->describe(Item.Id);
      if (!Entry || Entry->Info.Name != Request.Name ||
          Entry->Info.Kind != Request.Kind)
        continue;
      std::vector<KeyDifference> All = explain(Entry->Info.Key, Request.Key);
      if (Fewest.empty() || All.size() < Fewest.size())
        Fewest = std::move(All);
    }
  return Fewest;
}

std::string
NearestEntry::describe(const std::vector<std::unique_ptr<Store>> &Layers,
                       const CacheRequest &Request) {
  constexpr Clock::duration Most = std::chrono::seconds(1);
  Clock::duration Left = Most - Clock::duration(Spent.load());
  if (Left <= Clock::duration(0))
    return "";
  Clock::time_point Start = Clock::now();
  std::vector<KeyDifference> Fewest =
      fewestDifferences(Layers, Request, Start + Left);
  Spent += (Clock::now() - Start).count();
  if (Fewest.empty())
    return "";
  std::string Text = "\n  the nearest entry differs in: ";
  for (size_t I = 0; I < std::min(Fewest.size(), MaxShown); ++I)
    Text += (I ? ", " : "") + textOf(Fewest[I]);
  if (Fewest.size() > MaxShown)
    Text += " and " + std::to_string(Fewest.size() - MaxShown) + " more";
  return Text;
}
