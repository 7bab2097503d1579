//===- List.cpp - ck-jit cache list: table of entries ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints one line for each entry. See also Stats.cpp, which sums.
//
//===----------------------------------------------------------------------===//
#include "OpenedCache.h"
#include "Units.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;

/// Sorts \p Rows, which are sorted by name, by another column.
static bool sortBy(std::vector<Row> &Rows, StringRef Column) {
  using Number = uint64_t (*)(const Row &);
  Number By = StringSwitch<Number>(Column)
                  .Case("size", [](const Row &R) { return R.Item.FileSize; })
                  .Case("created", [](const Row &R) { return R.Info.Created; })
                  .Case("last-use", [](const Row &R) { return R.Item.LastUse; })
                  .Case("seconds",
                        [](const Row &R) { return R.Info.CompileMilliseconds; })
                  .Default(nullptr);
  if (By)
    sort(Rows, [&](const Row &A, const Row &B) {
      return By(A) != By(B) ? By(A) > By(B) : isBefore(A, B);
    });
  return By || Column == "name";
}

static void printTable(raw_ostream &OS, const std::vector<Row> &Rows) {
  size_t KindWidth = 4, TargetWidth = 6;
  for (const Row &R : Rows) {
    KindWidth = std::max(KindWidth, printable(R.Info.Kind).size());
    TargetWidth = std::max(TargetWidth, printable(R.Info.Target).size());
  }
  OS << left_justify("KEY", 12) << "  " << left_justify("KIND", KindWidth)
     << "  " << left_justify("TARGET", TargetWidth)
     << "        SIZE  CREATED (UTC)     LAST USE          COMPILE  PIN  "
        "NAME\n";
  for (const Row &R : Rows) {
    OS << shortKey(R.Item.Id) << "  ";
    if (!R.Defect.empty()) {
      OS << "cannot be read: " << printable(R.Defect) << '\n';
      continue;
    }
    OS << left_justify(printable(R.Info.Kind), KindWidth) << "  "
       << left_justify(printable(R.Info.Target), TargetWidth) << "  "
       << right_justify(showSize(R.Item.FileSize), 10) << "  "
       << left_justify(showTime(R.Info.Created), 16) << "  "
       << left_justify(showTime(R.Item.LastUse), 16) << "  "
       << right_justify(showMilliseconds(R.Info.CompileMilliseconds), 7) << "  "
       << (R.Item.Pinned ? "yes" : "   ") << "  " << printable(R.Info.Name)
       << '\n';
  }
}

static void printJson(const CacheInvocation &I, const OpenedCache &C,
                      const std::vector<Row> &Rows) {
  I.printJson("list", C.place().Directory, [&](json::OStream &J) {
    J.attributeArray("entries", [&] {
      for (const Row &R : Rows)
        J.object([&] {
          J.attribute("key", jit::toHex(R.Item.Id));
          J.attribute("size", R.Item.FileSize);
          J.attribute("last_use", R.Item.LastUse);
          J.attribute("pinned", R.Item.Pinned);
          if (!R.Defect.empty()) {
            J.attribute("defect", jsonText(R.Defect));
            return;
          }
          J.attribute("name", jsonText(R.Info.Name));
          J.attribute("kind", jsonText(R.Info.Kind));
          J.attribute("target", jsonText(R.Info.Target));
          J.attribute("symbol", jsonText(R.Info.Symbol));
          J.attribute("producer", jsonText(R.Info.Producer));
          J.attribute("created", R.Info.Created);
          J.attribute("compile_ms", R.Info.CompileMilliseconds);
        });
    });
  });
}

static void runList(CacheInvocation &I) {
  Expected<Filter> F = Filter::create(I, I.operands());
  if (!F)
    return I.S.error(F.takeError());
  std::optional<OpenedCache> C =
      OpenedCache::open(I, OpenedCache::Access::Read);
  if (!C)
    return;
  std::vector<Row> Rows = C->rows(*F);
  StringRef Column = I.Args.getLastArgValue(OPT_sort_EQ, "name");
  if (!sortBy(Rows, Column))
    return I.S.error("--sort=" + Column + ": no such column; " +
                     I.Options.seeHelp());
  F->reportUnused(I);
  if (I.json())
    return printJson(I, *C, Rows);
  if (!Rows.empty())
    printTable(I.S.out(), Rows);
}

const CacheVerb jittool::ListVerb = {
    {"list", "[<entry>...]", "list the entries",
     "list the entries of the cache, one a line\n\n"
     "<entry> is a kernel's name, a glob over names, or the first digits of a "
     "key (4 or\nmore). Entries are described, not verified: see 'ck-jit cache "
     "verify'.",
     "  $ ck-jit cache list\n"
     "  $ ck-jit cache list --sort=size --target='gfx94*' 'fmha_fwd_*'\n"
     "  $ ck-jit cache list --json | jq -r '.entries[] | select(.compile_ms > "
     "60000).name'\n",
     ListOption},
    runList};
