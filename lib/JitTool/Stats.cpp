//===- Stats.cpp - ck-jit cache stats: sizes and hits ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints sizes by kind and target, and hits and compiles in sum and for each
// kernel (Jit/Store/Statistics.h). See also List.cpp.
//
//===----------------------------------------------------------------------===//
#include "OpenedCache.h"
#include "Units.h"

#include "Jit/Store/Statistics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;
using jit::KernelStatistics;

namespace {
struct Sum {
  uint64_t Entries = 0;
  uint64_t Bytes = 0;
  void add(const Row &R) {
    ++Entries;
    Bytes += R.Item.FileSize;
  }
};

struct Report {
  std::string Directory;
  Sum All, Pinned, Unreadable;
  std::map<std::pair<std::string, std::string>, Sum> Groups; ///< kind, target
  KernelStatistics Total;
  std::vector<KernelStatistics> Kernels;
};
} // namespace

static Report summarize(const OpenedCache &C, const std::vector<Row> &Rows) {
  Report R;
  R.Directory = C.place().Directory;
  for (const Row &Entry : Rows) {
    R.All.add(Entry);
    if (Entry.Item.Pinned)
      R.Pinned.add(Entry);
    if (Entry.Defect.empty())
      R.Groups[{Entry.Info.Kind, Entry.Info.Target}].add(Entry);
    else
      R.Unreadable.add(Entry);
  }
  return R;
}

/// Sorts by a column, largest first. Returns false for an unknown column.
static bool sortBy(std::vector<KernelStatistics> &Rows, StringRef Column) {
  using Member = uint64_t KernelStatistics::*;
  Member By = StringSwitch<Member>(Column)
                  .Case("seconds", &KernelStatistics::CompileMilliseconds)
                  .Case("hits", &KernelStatistics::Hits)
                  .Case("misses", &KernelStatistics::Misses)
                  .Case("compiles", &KernelStatistics::Compiles)
                  .Case("failures", &KernelStatistics::Failures)
                  .Case("fetched", &KernelStatistics::Fetched)
                  .Case("bytes", &KernelStatistics::Bytes)
                  .Case("last-use", &KernelStatistics::LastUse)
                  .Default(nullptr);
  if (!By && Column != "name")
    return false;
  sort(Rows, [&](const KernelStatistics &A, const KernelStatistics &B) {
    if (By && A.*By != B.*By)
      return A.*By > B.*By;
    return std::tie(A.Name, A.Target) < std::tie(B.Name, B.Target);
  });
  return true;
}

static void printSum(raw_ostream &OS, StringRef Name, const Sum &What) {
  OS << left_justify(Name, 30) << ' '
     << right_justify(std::to_string(What.Entries), 8) << "  "
     << right_justify(showSize(What.Bytes), 10) << '\n';
}

/// Returns the share of lookups without a compile.
static std::string hitRate(const KernelStatistics &K) {
  uint64_t Lookups = K.Hits + K.Misses;
  if (!Lookups)
    return "";
  return " (" + std::to_string(K.Hits * 100 / Lookups) + " %)";
}

static void printText(raw_ostream &OS, const Report &R) {
  OS << "cache " << printable(R.Directory) << "\n\n"
     << left_justify("", 31) << " ENTRIES        SIZE\n";
  printSum(OS, "all", R.All);
  for (const auto &[Group, What] : R.Groups)
    printSum(OS,
             "  " + printable(Group.first) +
                 (Group.second.empty() ? "" : " " + printable(Group.second)),
             What);
  if (R.Unreadable.Entries)
    printSum(OS, "  cannot be read", R.Unreadable);
  if (R.Pinned.Entries)
    printSum(OS, "pinned", R.Pinned);
  const KernelStatistics &T = R.Total;
  OS << "\nhits " << T.Hits << hitRate(T) << ", misses " << T.Misses
     << ", compiles " << T.Compiles << " in "
     << showMilliseconds(T.CompileMilliseconds) << ", failures " << T.Failures
     << ", waits " << T.Waits << ", fetched " << T.Fetched << '\n';
  if (R.Kernels.empty())
    return;
  OS << "\n    HITS   MISSES COMPILES FAILURES  FETCHED    SECONDS  LAST USE "
        "(UTC)    NAME\n";
  for (const KernelStatistics &K : R.Kernels) {
    for (uint64_t Number :
         {K.Hits, K.Misses, K.Compiles, K.Failures, K.Fetched})
      OS << right_justify(std::to_string(Number), 8) << ' ';
    OS << right_justify(showMilliseconds(K.CompileMilliseconds), 10) << "  "
       << left_justify(showTime(K.LastUse), 16) << "  "
       << (K.Name.empty() ? "(older kernels)" : printable(K.Name))
       << (K.Target.empty() ? "" : " " + printable(K.Target)) << '\n';
  }
}

static void printCounts(json::OStream &J, const KernelStatistics &K) {
  J.attribute("hits", K.Hits);
  J.attribute("misses", K.Misses);
  J.attribute("compiles", K.Compiles);
  J.attribute("failures", K.Failures);
  J.attribute("waits", K.Waits);
  J.attribute("fetched", K.Fetched);
  J.attribute("compile_ms", K.CompileMilliseconds);
  J.attribute("last_use", K.LastUse);
}

static void printSum(json::OStream &J, const Sum &What) {
  J.attribute("entries", What.Entries);
  J.attribute("bytes", What.Bytes);
}

static void printJson(const CacheInvocation &I, const Report &R) {
  I.printJson("stats", R.Directory, [&](json::OStream &J) {
    printSum(J, R.All);
    J.attributeObject("pinned", [&] { printSum(J, R.Pinned); });
    J.attributeObject("unreadable", [&] { printSum(J, R.Unreadable); });
    J.attributeArray("groups", [&] {
      for (const auto &[Group, What] : R.Groups)
        J.object([&] {
          J.attribute("kind", jsonText(Group.first));
          J.attribute("target", jsonText(Group.second));
          printSum(J, What);
        });
    });
    J.attributeObject("total", [&] { printCounts(J, R.Total); });
    J.attributeArray("kernels", [&] {
      for (const KernelStatistics &K : R.Kernels)
        J.object([&] {
          J.attribute("name", jsonText(K.Name));
          J.attribute("target", jsonText(K.Target));
          printCounts(J, K);
          J.attribute("bytes", K.Bytes);
        });
    });
  });
}

static void runStats(CacheInvocation &I) {
  uint64_t Top = I.json() ? 0 : 10;
  if (const opt::Arg *A = I.Args.getLastArg(OPT_top_EQ))
    if (StringRef(A->getValue()).getAsInteger(10, Top))
      return I.S.error("--top=" + Twine(A->getValue()) +
                       ": not a number; give how many kernels to list");
  if (!I.operands().empty())
    return I.S.error(I.operands().front() + ": stats takes no operand; see " +
                     I.Door.quoted("list"));
  std::optional<OpenedCache> C =
      OpenedCache::open(I, OpenedCache::Access::Read);
  if (!C)
    return;
  Expected<Filter> F = Filter::create(I, {});
  if (!F)
    return I.S.error(F.takeError());
  Report R = summarize(*C, C->rows(*F));
  if (C->store()) {
    Result<std::vector<KernelStatistics>> Counts =
        jit::readStatistics(R.Directory);
    if (Counts)
      R.Kernels = std::move(*Counts);
    else
      I.S.error(Counts.status());
  }
  R.Total = jit::computeTotal(R.Kernels);
  StringRef Column = I.Args.getLastArgValue(OPT_sort_EQ, "seconds");
  if (!sortBy(R.Kernels, Column))
    return I.S.error("--sort=" + Column + ": no such column; " +
                     I.Options.seeHelp());
  if (Top && R.Kernels.size() > Top)
    R.Kernels.resize(Top);
  if (I.json())
    printJson(I, R);
  else
    printText(I.S.out(), R);
  if (I.Args.hasArg(OPT_reset) && C->store())
    if (Status Cleared = jit::clearStatistics(R.Directory); !Cleared.ok())
      I.S.error(Cleared);
}

const CacheVerb jittool::StatsVerb = {
    {"stats", "", "what is in the cache and what it was good for",
     "entries and bytes by kind and target; hits, misses, compiles and their "
     "seconds, in\nsum and for each kernel, over all processes that used the "
     "cache\n\n"
     "A hit is a lookup that needed no compiler; who waited for another "
     "process's compile\nis counted under waits, one that a remote cache had "
     "under fetched.",
     "  $ ck-jit cache stats\n"
     "  $ ck-jit cache stats --sort=hits --top=20\n"
     "  $ ck-jit cache stats --json | jq .total\n",
     StatsOption},
    runStats};
