//===- Prune.cpp - ck-jit cache prune, pin, unpin -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits are those of the whole cache; the command line selects the entries
// that may be removed. Programs that use an entry keep it: they hold its file
// open.
//
//===----------------------------------------------------------------------===//
#include "OpenedCache.h"
#include "Units.h"

#include "llvm/ADT/STLExtras.h"

#include <ctime>
#include <map>

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;
using namespace llvm::opt;

namespace {
struct Limits {
  jit::StoreLimits Numbers;
  bool Everything = false; ///< remove all selected entries that are not pinned
};
} // namespace

/// Parses the value of \p Option; false after an error.
template <typename Parser>
static bool parseLimit(CacheInvocation &I, OptionId Option, Parser Parse,
                       StringRef Example, uint64_t &Limit, bool &Given) {
  const Arg *A = I.Args.getLastArg(Option);
  if (!A)
    return true;
  std::optional<uint64_t> Value = Parse(A->getValue());
  if (!Value || !*Value) {
    I.S.error(A->getAsString(I.Args) + ": not a limit; write for example " +
              Example);
    return false;
  }
  Limit = *Value;
  Given = true;
  return true;
}

static std::optional<Limits> parseLimits(CacheInvocation &I, const Filter &F) {
  auto ParseCount = [](StringRef Text) -> std::optional<uint64_t> {
    uint64_t Value = 0;
    if (Text.getAsInteger(10, Value))
      return std::nullopt;
    return Value;
  };
  Limits L;
  uint64_t Default = L.Numbers.Bytes;
  L.Numbers = {0, 0, 0};
  bool Given = false;
  if (!parseLimit(I, OPT_max_size_EQ, parseSize, "10G", L.Numbers.Bytes,
                  Given) ||
      !parseLimit(I, OPT_max_age_EQ, parseDuration, "30d", L.Numbers.AgeSeconds,
                  Given) ||
      !parseLimit(I, OPT_max_entries_EQ, ParseCount, "1000", L.Numbers.Entries,
                  Given))
    return std::nullopt;
  if (I.Args.hasArg(OPT_all) && Given) {
    I.S.error("--all: limits are given as well; choose one of them");
    return std::nullopt;
  }
  L.Everything = I.Args.hasArg(OPT_all) || (!Given && !F.isEmpty());
  if (!Given && !L.Everything)
    L.Numbers.Bytes = Default;
  return L;
}

/// Returns the selected rows over the limits.
static std::vector<Row> excess(const Limits &L, const jit::Store &S,
                               std::vector<Row> Selected) {
  std::map<jit::Digest, Row *> BySelected;
  for (Row &R : Selected)
    BySelected[R.Item.Id] = &R;
  std::vector<jit::StoreItem> Items;
  for (jit::StoreItem Item : S.list()) {
    // Count entries that are not selected first, as if they were pinned.
    Item.Pinned |= !BySelected.count(Item.Id);
    Items.push_back(Item);
  }
  if (!L.Everything)
    Items = jit::itemsOver(L.Numbers, std::move(Items),
                           static_cast<uint64_t>(std::time(nullptr)));
  else
    erase_if(Items, [](const jit::StoreItem &Item) { return Item.Pinned; });
  std::vector<Row> Found;
  for (const jit::StoreItem &Item : Items)
    if (auto It = BySelected.find(Item.Id); It != BySelected.end())
      Found.push_back(std::move(*It->second));
  return Found;
}

static void printJson(const CacheInvocation &I, const OpenedCache &C,
                      bool DryRun, const std::vector<Row> &Removed,
                      uint64_t Bytes) {
  I.printJson("prune", C.place().Directory, [&](json::OStream &J) {
    J.attribute("dry_run", DryRun);
    J.attribute("removed_bytes", Bytes);
    J.attributeArray("removed", [&] {
      for (const Row &R : Removed)
        J.object([&] {
          J.attribute("key", jit::toHex(R.Item.Id));
          J.attribute("name", jsonText(R.Info.Name));
          J.attribute("target", jsonText(R.Info.Target));
          J.attribute("kind", jsonText(R.Info.Kind));
          J.attribute("size", R.Item.FileSize);
        });
    });
  });
}

static void runPrune(CacheInvocation &I) {
  Expected<Filter> F = Filter::create(I, I.operands());
  if (!F)
    return I.S.error(F.takeError());
  std::optional<Limits> L = parseLimits(I, *F);
  if (!L)
    return;
  bool DryRun = I.Args.hasArg(OPT_dry_run);
  std::optional<OpenedCache> C = OpenedCache::open(
      I, DryRun ? OpenedCache::Access::Read : OpenedCache::Access::Write);
  if (!C)
    return;
  std::vector<Row> Removed;
  uint64_t Bytes = 0;
  if (jit::Store *S = C->store()) {
    std::vector<Row> Selected = C->rows(*F);
    F->reportUnused(I);
    for (Row &R : excess(*L, *S, std::move(Selected))) {
      if (!DryRun)
        if (Status Gone = S->remove(R.Item.Id); !Gone.ok()) {
          I.S.error(Gone);
          continue;
        }
      Bytes += R.Item.FileSize;
      Removed.push_back(std::move(R));
    }
    // Also remove leftovers of dead processes.
    if (!DryRun)
      if (Status Rest = S->prune({0, 0, 0}); !Rest.ok())
        I.S.error(Rest);
  }
  if (I.json())
    return printJson(I, *C, DryRun, Removed, Bytes);
  for (const Row &R : Removed)
    I.S.out() << shortKey(R.Item.Id) << "  "
              << right_justify(showSize(R.Item.FileSize), 10) << "  "
              << printable(R.Info.Name) << '\n';
  I.S.out() << (DryRun ? "would remove " : "removed ")
            << showCount(Removed.size(), "entry", "entries") << ", "
            << showSize(Bytes) << '\n';
}

static void runPinning(CacheInvocation &I, bool Pinned) {
  Expected<Filter> F = Filter::create(I, I.operands());
  if (!F)
    return I.S.error(F.takeError());
  if (F->isEmpty())
    return I.S.error("command line: no entry given; " + I.Options.seeHelp());
  std::optional<OpenedCache> C =
      OpenedCache::open(I, OpenedCache::Access::Write);
  if (!C)
    return;
  std::vector<Row> Rows = C->rows(*F);
  F->reportUnused(I);
  uint64_t Changed = 0;
  for (const Row &R : Rows) {
    if (R.Item.Pinned == Pinned)
      continue;
    if (Status Done = C->store()->pin(R.Item.Id, Pinned); !Done.ok())
      return I.S.error(Done);
    ++Changed;
  }
  if (I.json())
    return I.printJson("pin", C->place().Directory, [&](json::OStream &J) {
      J.attribute("pinned", Pinned);
      J.attribute("changed", Changed);
      J.attributeArray("keys", [&] {
        for (const Row &R : Rows)
          J.value(jit::toHex(R.Item.Id));
      });
    });
  I.S.out() << (Pinned ? "pinned " : "unpinned ")
            << showCount(Changed, "entry", "entries");
  if (Changed != Rows.size())
    I.S.out() << "; " << Rows.size() - Changed << " already "
              << (Pinned ? "pinned" : "not pinned");
  I.S.out() << '\n';
}

const CacheVerb jittool::PruneVerb = {
    {"prune", "[<entry>...]", "remove entries that are not needed",
     "remove entries, least recently used first, and what dead processes have "
     "left behind\n\n"
     "With limits: until the whole cache keeps them. With entries (names, "
     "globs, "
     "first\ndigits of keys) or filters only those may go; without limits all "
     "of those do. With\nneither: what is over libckjit's own limit. Pinned "
     "entries stay. Programs that run\nkeep what they use.",
     "  $ ck-jit cache prune --max-size=10G --max-age=30d\n"
     "  $ ck-jit cache prune --dry-run 'fmha_bwd_*'\n"
     "  $ ck-jit cache prune --all\n",
     PruneOption},
    runPrune};

const CacheVerb jittool::PinVerb = {
    {"pin", "<entry>...", "keep entries whatever the limits say",
     "entries that are pinned are never removed by limits or 'prune'\n\n"
     "<entry> is a kernel's name, a glob over names, or the first digits of a "
     "key.",
     "  $ ck-jit cache pin 'fmha_fwd_*' --target=gfx942\n"
     "  $ ck-jit cache list --pinned\n",
     PinOption},
    [](CacheInvocation &I) { runPinning(I, true); }};

const CacheVerb jittool::UnpinVerb = {
    {"unpin", "<entry>...", "undo 'pin'", "entries that may be removed again",
     "  $ ck-jit cache unpin '*'\n", PinOption},
    [](CacheInvocation &I) { runPinning(I, false); }};
