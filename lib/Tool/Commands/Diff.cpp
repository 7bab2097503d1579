//===- Diff.cpp - kpack diff: differing code objects ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists code objects that differ between two archives, or between the archives
// of two programs. If a key has two different code objects, names the sections
// that differ, so that a difference in debug information only is
// distinguishable from one in kernels. Sibling: List.cpp.
//
//===----------------------------------------------------------------------===//
#include "Archive/LimitedRead.h"
#include "Tool/ArchiveEntries.h"
#include "Tool/ArchivesOf.h"
#include "Tool/Command.h"
#include "Tool/ObjectDiff.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

namespace {

struct Place {
  const ArchiveReader *Archive = nullptr;
  const ArchiveEntry *Entry = nullptr;
};

/// One side of the comparison. As for the loader, the first archive with a key
/// counts.
struct Side {
  std::vector<std::unique_ptr<const ArchiveReader>> Archives;
  std::map<std::pair<std::string_view, std::string_view>, Place> Entries;
};

struct Change {
  Place Old, New;
  /// The difference of two code objects.
  ObjectDifference Difference;

  const ArchiveEntry &entry() const {
    return Old.Entry ? *Old.Entry : *New.Entry;
  }
  StringRef kind() const {
    return !New.Entry ? "removed" : !Old.Entry ? "added" : "changed";
  }
};

struct Comparison {
  std::vector<Change> Changes;
  size_t Equal = 0;
};

} // namespace

static Expected<Side> readSide(const std::string &Path,
                               const EntryFilter &Filter) {
  Expected<std::vector<ArchivePlace>> Places = findArchives(Path);
  if (!Places)
    return Places.takeError();
  Side Read;
  for (const ArchivePlace &Source : *Places) {
    Result<std::unique_ptr<const ArchiveReader>> Archive =
        ArchiveReader::open(Source.Path);
    if (!Archive)
      return toError(Archive.status());
    for (const ArchiveEntry &Entry : (*Archive)->entries())
      if (Source.isOfBinary(Entry) && Filter.matches(Entry))
        Read.Entries.try_emplace({Entry.Binary, Entry.Arch},
                                 Place{Archive->get(), &Entry});
    Read.Archives.push_back(std::move(*Archive));
  }
  return Read;
}

/// Returns nullopt if both have the same bytes.
static Expected<std::optional<ObjectDifference>> compare(const Place &Old,
                                                         const Place &New) {
  Result<Buffer> OldBytes = readLimited(*Old.Archive, *Old.Entry);
  if (!OldBytes)
    return toError(OldBytes.status());
  Result<Buffer> NewBytes = readLimited(*New.Archive, *New.Entry);
  if (!NewBytes)
    return toError(NewBytes.status());
  return compareObjects(OldBytes->bytes(), NewBytes->bytes());
}

static Expected<Comparison> compareSides(const Side &Old, const Side &New) {
  Comparison Result;
  for (const auto &[Key, Before] : Old.Entries) {
    auto It = New.Entries.find(Key);
    if (It == New.Entries.end()) {
      Result.Changes.push_back({Before, {}, {}});
      continue;
    }
    Expected<std::optional<ObjectDifference>> Difference =
        compare(Before, It->second);
    if (!Difference)
      return Difference.takeError();
    if (*Difference)
      Result.Changes.push_back({Before, It->second, **Difference});
    else
      ++Result.Equal;
  }
  for (const auto &[Key, After] : New.Entries)
    if (!Old.Entries.count(Key))
      Result.Changes.push_back({{}, After, {}});
  llvm::sort(Result.Changes, [](const Change &A, const Change &B) {
    return comesBefore(A.entry(), B.entry());
  });
  return Result;
}

static void printChange(raw_ostream &OS, const Change &C) {
  const ArchiveEntry &Entry = C.entry();
  char Sign = !C.New.Entry ? '-' : !C.Old.Entry ? '+' : '~';
  OS << Sign << ' ' << printable(StringRef(Entry.Binary)) << "  "
     << printable(StringRef(Entry.Arch)) << "  " << Entry.OriginalSize;
  if (C.Old.Entry && C.New.Entry)
    OS << " -> " << C.New.Entry->OriginalSize;
  OS << " bytes";
  if (C.Old.Entry && C.New.Entry) {
    std::vector<std::string> Names;
    for (const std::string &Name : C.Difference.Sections)
      Names.push_back(printable(Name));
    OS << ": " << join(Names, ", ");
    if (!C.Difference.InLoaded)
      OS << " (nothing that is loaded)";
  }
  OS << '\n';
}

static void printText(raw_ostream &OS, const Comparison &All) {
  std::map<StringRef, size_t> Numbers;
  for (const Change &C : All.Changes) {
    ++Numbers[C.kind()];
    printChange(OS, C);
  }
  OS << Numbers["removed"] << " removed, " << Numbers["added"] << " added, "
     << Numbers["changed"] << " changed, " << All.Equal << " equal\n";
}

static void printJson(json::OStream &J, const Change &C) {
  J.object([&] {
    J.attribute("binary", jsonText(StringRef(C.entry().Binary)));
    J.attribute("arch", jsonText(StringRef(C.entry().Arch)));
    J.attribute("change", C.kind());
    if (C.Old.Entry)
      J.attribute("old_size", C.Old.Entry->OriginalSize);
    if (C.New.Entry)
      J.attribute("new_size", C.New.Entry->OriginalSize);
    if (!C.Old.Entry || !C.New.Entry)
      return;
    attributeTexts(J, "sections", C.Difference.Sections);
    J.attribute("in_loaded", C.Difference.InLoaded);
  });
}

static void printJson(Session &S, const Comparison &All) {
  kpack::printJson(S.out(), "kpack.diff/1", [&](json::OStream &J) {
    J.attribute("equal", uint64_t(All.Equal));
    J.attributeArray("changes", [&] {
      for (const Change &C : All.Changes)
        printJson(J, C);
    });
  });
}

static void runDiff(Invocation &I) {
  std::vector<std::string> Paths = getInputs(I, "archive or program");
  if (Paths.empty())
    return;
  if (Paths.size() != 2)
    return I.S.error("command line: " + counted(Paths.size(), "operand") +
                     "; diff compares two archives or programs, give both");
  Expected<EntryFilter> Filter = parseFilter(I.Args);
  if (!Filter)
    return I.S.error(Filter.takeError());
  Side Sides[2];
  for (size_t Which = 0; Which != 2; ++Which)
    if (Error E = readSide(Paths[Which], *Filter).moveInto(Sides[Which]))
      return I.S.error(std::move(E));
  if (Filter->chooses() && Sides[0].Entries.empty() && Sides[1].Entries.empty())
    return I.S.error(Paths[0] + " and " + Paths[1] + ": nothing matches " +
                     Filter->describe() + "; 'kpack list' names what is there");
  Expected<Comparison> All = compareSides(Sides[0], Sides[1]);
  if (!All)
    return I.S.error(All.takeError());
  if (I.json())
    printJson(I.S, *All);
  else
    printText(I.S.out(), *All);
  if (!All->Changes.empty())
    I.S.setFailed();
}

const Command tool::DiffCommand = {
    {"diff", "<old> <new>", "say which code objects of two archives differ",
     "say which code objects of two archives differ, or of two programs' "
     "archives\n\n"
     "'-' is a code object that only the first has, '+' one that only the "
     "second has,\n'~' one with other bytes; its sections that differ are "
     "named. The exit status is\n1 when anything differs or cannot be read.",
     "  $ kpack diff old/app_gfx1100.kpack new/app_gfx1100.kpack\n"
     "  $ kpack diff --arch='gfx11*' old/app new/app\n"
     "  $ kpack diff --json a.kpack b.kpack | jq '.changes[].sections'\n",
     DiffOption},
    runDiff};
