//===- Explain.cpp - ck-jit cache explain: differing keys -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Explains why a source was compiled again: prints the fields of a key, the
// fields in which two keys differ, or those in which the current key of a
// request differs from the nearest one in the cache. Compiles and writes
// nothing; may run the preprocessor to list headers.
//
//===----------------------------------------------------------------------===//
#include "OpenedCache.h"
#include "Units.h"

#include "Jit/Executor/Cache/NearestEntry.h"
#include "Jit/Executor/Cache/SourceCache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;
using namespace llvm::opt;
using jit::KeyDifference;

/// Limit for text; JSON has all. A new compiler changes hundreds of headers.
static constexpr size_t MaxShown = 30;

/// Returns "a -> b", or the only value.
static std::string getValues(const KeyDifference &D) {
  if (D.Before == D.After)
    return D.Before + ", the same text for other files";
  if (D.Before.empty() || D.After.empty())
    return D.Before + D.After;
  return D.Before + " -> " + D.After;
}

static void printDifferences(raw_ostream &OS,
                             const std::vector<KeyDifference> &All) {
  for (const KeyDifference &D : ArrayRef(All).take_front(MaxShown))
    OS << "  " << printable(jit::getMeaning(D)) << ": "
       << printable(getValues(D)) << '\n';
  if (All.size() > MaxShown)
    OS << "  and " << All.size() - MaxShown
       << " more differences; --json lists them\n";
}

static void printDifferences(json::OStream &J,
                             const std::vector<KeyDifference> &All) {
  J.attributeArray("differences", [&] {
    for (const KeyDifference &D : All)
      J.object([&] {
        J.attribute("field", jsonText(D.Name));
        J.attribute("before", jsonText(D.Before));
        J.attribute("after", jsonText(D.After));
        J.attribute("meaning", jsonText(jit::getMeaning(D)));
      });
  });
}

static void printEntry(json::OStream &J, const Row &R) {
  J.attribute("key", jit::toHex(R.Item.Id));
  J.attribute("name", jsonText(R.Info.Name));
  J.attribute("kind", jsonText(R.Info.Kind));
  J.attribute("target", jsonText(R.Info.Target));
  J.attribute("producer", jsonText(R.Info.Producer));
  J.attribute("created", R.Info.Created);
  J.attribute("compile_ms", R.Info.CompileMilliseconds);
  J.attributeArray("fields", [&] {
    for (const jit::KeyField &Field : R.Info.Key.Fields)
      J.object([&] {
        J.attribute("name", jsonText(Field.Name));
        J.attribute("sha256", jit::toHex(Field.Hash));
        J.attribute("text", jsonText(Field.Shown));
      });
  });
}

static std::string getTitle(const Row &R) {
  std::string Title = shortKey(R.Item.Id) + " " + printable(R.Info.Name);
  if (!R.Info.Target.empty())
    Title += " for " + printable(R.Info.Target);
  return Title + ", " + printable(R.Info.Kind) + " of " +
         showTime(R.Info.Created);
}

static void printEntry(raw_ostream &OS, const Row &R) {
  OS << getTitle(R) << ", compiled in "
     << showMilliseconds(R.Info.CompileMilliseconds) << " by "
     << printable(R.Info.Producer) << "\n";
  size_t Width = 0;
  for (const jit::KeyField &Field : R.Info.Key.Fields)
    Width = std::max(Width, printable(Field.Name).size());
  for (const jit::KeyField &Field : R.Info.Key.Fields)
    OS << "  " << left_justify(printable(Field.Name), Width) << "  "
       << printable(Field.Shown) << '\n';
}

namespace {
class Explainer {
public:
  Explainer(CacheInvocation &I, const OpenedCache &C) : I(I), C(C) {}

  void explainEntry(const std::string &Operand);
  void explainPair(const std::string &Before, const std::string &After);
  void explainRequest(const jit::CompileRequest &Request);

private:
  /// Returns the entries that match \p Operand, newest first, with their
  /// fields.
  std::vector<Row> entries(const std::string &Operand);
  std::optional<Row> onlyEntry(const std::string &Operand);
  void json(function_ref<void(json::OStream &)> Print) {
    I.printJson("explain", C.place().Directory, Print);
  }

  CacheInvocation &I;
  const OpenedCache &C;
};
} // namespace

std::vector<Row> Explainer::entries(const std::string &Operand) {
  Expected<Filter> F = Filter::create(I, {Operand});
  if (!F) {
    I.S.error(F.takeError());
    return {};
  }
  std::vector<Row> Rows = C.rows(*F, /*Whole=*/true);
  for (const Row &R : Rows)
    if (!R.Defect.empty())
      I.S.error(R.Defect + "; run " + I.Door.quoted("verify"));
  erase_if(Rows, [](const Row &R) { return !R.Defect.empty(); });
  // A recipe has the name of its kernel but is no product.
  if (any_of(Rows, [](const Row &R) { return R.Info.Kind != "recipe"; }) &&
      !isKeyPrefix(Operand))
    erase_if(Rows, [](const Row &R) { return R.Info.Kind == "recipe"; });
  sort(Rows, [](const Row &A, const Row &B) {
    return A.Info.Created != B.Info.Created ? A.Info.Created > B.Info.Created
                                            : isBefore(A, B);
  });
  if (Rows.empty() && !I.S.exitCode())
    I.S.error(Operand + ": no such entry in the cache; see " +
              I.Door.quoted("list"));
  return Rows;
}

std::optional<Row> Explainer::onlyEntry(const std::string &Operand) {
  std::vector<Row> Rows = entries(Operand);
  if (Rows.size() == 1)
    return std::move(Rows.front());
  if (Rows.size() > 1) {
    std::string Keys;
    for (const Row &R : ArrayRef(Rows).take_front(8))
      Keys += " " + shortKey(R.Item.Id);
    I.S.error(Operand + ": means " + Twine(Rows.size()) +
              " entries; give a key:" + Keys + (Rows.size() > 8 ? " ..." : ""));
  }
  return std::nullopt;
}

/// Prints the newest entry in full, the others by their differences from it.
void Explainer::explainEntry(const std::string &Operand) {
  std::vector<Row> Rows = entries(Operand);
  if (Rows.empty())
    return;
  const Row &Newest = Rows.front();
  if (I.json())
    return json([&](json::OStream &J) {
      J.attributeObject("entry", [&] { printEntry(J, Newest); });
      J.attributeArray("others", [&] {
        for (const Row &R : ArrayRef(Rows).drop_front())
          J.object([&] {
            J.attribute("key", jit::toHex(R.Item.Id));
            J.attribute("name", jsonText(R.Info.Name));
            printDifferences(J, jit::explain(R.Info.Key, Newest.Info.Key));
          });
      });
    });
  raw_ostream &OS = I.S.out();
  printEntry(OS, Newest);
  for (const Row &R : ArrayRef(Rows).drop_front()) {
    OS << "\n" << getTitle(R) << "; from it to the above:\n";
    printDifferences(OS, jit::explain(R.Info.Key, Newest.Info.Key));
  }
}

void Explainer::explainPair(const std::string &Before,
                            const std::string &After) {
  std::optional<Row> A = onlyEntry(Before), B = onlyEntry(After);
  if (!A || !B)
    return;
  std::vector<KeyDifference> All = jit::explain(A->Info.Key, B->Info.Key);
  if (I.json())
    return json([&](json::OStream &J) {
      J.attribute("before", jit::toHex(A->Item.Id));
      J.attribute("after", jit::toHex(B->Item.Id));
      printDifferences(J, All);
    });
  I.S.out() << getTitle(*A) << "\n"
            << getTitle(*B) << "\n"
            << (All.empty() ? "the same key\n"
                            : "from the first to the second:\n");
  printDifferences(I.S.out(), All);
}

/// Returns the current key of \p Request. Uses the cache's lists of headers and
/// adds nothing to them.
static Result<jit::KeyRecord> keyNow(const FrontDoor &Door,
                                     const std::string &CacheDirectory,
                                     const jit::CompileRequest &Request) {
  jit::CacheOptions Options;
  Options.Directory = CacheDirectory;
  Options.SystemDirectories = Door.SystemDirs;
  Options.SystemOwners = Door.SystemOwners;
  Options.Mode = jit::CacheMode::ReadOnly;
  Options.OnEvent = [](const jit::CacheEvent &) {};
  auto Sources = jit::SourceCache::open(std::move(Options),
                                        jit::CompileService(Door.Helper));
  if (!Sources)
    return Sources.status();
  return (*Sources)->key(Request);
}

void Explainer::explainRequest(const jit::CompileRequest &Request) {
  Result<jit::KeyRecord> Key = keyNow(I.Door, C.place().Directory, Request);
  if (!Key)
    return I.S.error(Key.status());
  std::optional<jit::NearestEntry> Found;
  if (C.store())
    Found = jit::findNearest({C.store()}, Request.Name, /*Kind=*/"", *Key);
  std::optional<Row> Nearest;
  std::vector<KeyDifference> Fewest;
  if (Found) {
    Nearest.emplace();
    Nearest->Item.Id = Found->Id;
    Nearest->Info = std::move(Found->Info);
    Fewest = std::move(Found->Differences);
  }
  bool IsHit = Nearest && Fewest.empty();
  if (I.json())
    return json([&](json::OStream &J) {
      J.attribute("name", jsonText(Request.Name));
      J.attribute("key", Key->hex());
      J.attribute("cached", IsHit);
      if (!Nearest)
        return;
      J.attribute("nearest", jit::toHex(Nearest->Item.Id));
      J.attribute("nearest_created", Nearest->Info.Created);
      printDifferences(J, Fewest);
    });
  raw_ostream &OS = I.S.out();
  OS << shortKey(Key->Id) << " " << printable(Request.Name);
  if (!Request.Target.empty())
    OS << " for " << printable(Request.Target);
  if (IsHit) {
    OS << ": in the cache since " << showTime(Nearest->Info.Created) << '\n';
    return;
  }
  OS << ": not in the cache";
  if (!Nearest) {
    OS << ", and nothing of that name is\n";
    return;
  }
  OS << "\nnearest: " << getTitle(*Nearest) << "; since then:\n";
  printDifferences(OS, Fewest);
}

static void runExplain(CacheInvocation &I) {
  std::vector<std::string> Operands = I.operands();
  const Arg *Manifest = I.Args.getLastArg(OPT_manifest_EQ);
  const Arg *Source = I.Args.getLastArg(OPT_source_EQ);
  if (Manifest && Source)
    return I.S.error("--source=" + Twine(Source->getValue()) +
                     ": a manifest is given as well; choose one of them");
  size_t Least = Source ? 0 : 1, Most = Manifest || Source ? 1 : 2;
  if (Operands.size() < Least || Operands.size() > Most)
    return I.S.error("command line: " + Twine(Operands.size()) + " operands; " +
                     I.Options.seeHelp());
  if (!I.Options.rest().empty() && !Source)
    return I.S.error("command line: flags without a source; name it with "
                     "--source=");
  std::optional<OpenedCache> C =
      OpenedCache::open(I, OpenedCache::Access::Read);
  if (!C)
    return;
  Explainer E(I, *C);
  if (!Manifest && !Source)
    return Operands.size() == 1 ? E.explainEntry(Operands[0])
                                : E.explainPair(Operands[0], Operands[1]);
  CompileWords Wanted = I.compileWords();
  Wanted.Name = Operands.empty() ? "" : Operands.front();
  Result<jit::CompileRequest> Request = I.Door.request(Wanted);
  if (!Request)
    return I.S.error(Request.status());
  E.explainRequest(*Request);
}

const CacheVerb jittool::ExplainVerb = {
    {"explain", "[<entry> [<entry>]] [-- <flags>]",
     "what a key is made of, and why something was compiled again",
     "what a key is made of, and why something was compiled again\n\n"
     "One entry: the fields of its key, and how other entries of that name "
     "differ. Two\nentries: the fields in which they differ. A name with "
     "--manifest=, or --source= with\nflags behind '--': the key that would be "
     "asked for now, and what has changed since the\nnearest entry of that "
     "name: "
     "compiler, header, flag, GPU. Nothing is compiled.",
     "  $ ck-jit cache explain blob_0\n"
     "  $ ck-jit cache explain 1f3a 90c2\n"
     "  $ ck-jit cache explain blob_0 --manifest=ck_jit/ck_jit_manifest.json\n"
     "  $ ck-jit cache explain --source=blob_0.cpp -- -O3 -I include\n",
     ExplainOption,
     /*KeepsRest=*/true},
    runExplain};
