//===- List.cpp - kpack list: entries of an archive -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a line for each entry: key, architecture, sizes, source. A program
// stands for the archives of its marker. Sibling: Show.cpp, the summary.
//
//===----------------------------------------------------------------------===//
#include "Archive/LimitedRead.h"
#include "Tool/ArchiveEntries.h"
#include "Tool/ArchivesOf.h"
#include "Tool/Command.h"
#include "ToolSupport/Demangle.h"
#include "ToolSupport/Output.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <set>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

namespace {

struct Row {
  const ArchiveEntry *Entry;
  uint64_t StoredSize;
  /// Set only with --kernels.
  std::vector<std::string> Kernels;
};

/// The entries to list.
struct Choice {
  EntryFilter Filter;
  bool WithKernels = false;
  /// All architectures, for the message about a filter without matches.
  std::set<std::string> Arches;
  bool FoundAny = false;
};

struct Listing {
  std::unique_ptr<const ArchiveReader> Archive;
  std::vector<Row> Rows;
};

} // namespace

/// Returns the archive's entries that pass the filter. Reports and omits an
/// entry whose bytes lie outside of the file.
static std::optional<Listing> readListing(Session &S, const ArchivePlace &Place,
                                          Choice &Chosen) {
  Result<std::unique_ptr<const ArchiveReader>> Archive =
      ArchiveReader::open(Place.Path);
  if (!Archive) {
    S.error(Archive.status());
    return std::nullopt;
  }
  Listing L;
  L.Archive = std::move(*Archive);
  for (const ArchiveEntry &Entry : L.Archive->entries()) {
    if (!Place.isOfBinary(Entry))
      continue;
    Chosen.Arches.emplace(Entry.Arch);
    if (!Chosen.Filter.matches(Entry))
      continue;
    Chosen.FoundAny = true;
    Result<uint64_t> Stored = L.Archive->storedSize(Entry);
    if (!Stored) {
      S.error(Stored.status());
      continue;
    }
    Row R{&Entry, *Stored, {}};
    if (Chosen.WithKernels) {
      Result<Buffer> Bytes = readLimited(*L.Archive, Entry);
      if (Bytes)
        R.Kernels = getKernels(StringRef(Bytes->bytes()));
      else
        S.error(Bytes.status());
    }
    L.Rows.push_back(std::move(R));
  }
  llvm::sort(L.Rows, [](const Row &A, const Row &B) {
    return comesBefore(*A.Entry, *B.Entry);
  });
  return L;
}

static void printTable(raw_ostream &OS, const Listing &L) {
  size_t BinaryWidth = 6, ArchWidth = 4;
  for (const Row &R : L.Rows) {
    BinaryWidth =
        std::max(BinaryWidth, printable(StringRef(R.Entry->Binary)).size());
    ArchWidth = std::max(ArchWidth, printable(StringRef(R.Entry->Arch)).size());
  }
  bool HasSource =
      any_of(L.Rows, [](const Row &R) { return !R.Entry->Source.empty(); });
  OS << left_justify("BINARY", BinaryWidth) << "  "
     << left_justify("ARCH", ArchWidth) << "        SIZE      STORED   RATIO"
     << (HasSource ? "  SOURCE\n" : "\n");
  for (const Row &R : L.Rows) {
    std::string Binary = printable(StringRef(R.Entry->Binary));
    std::string Arch = printable(StringRef(R.Entry->Arch));
    OS << left_justify(Binary, BinaryWidth) << "  "
       << left_justify(Arch, ArchWidth)
       << format("  %10llu  %10llu",
                 static_cast<unsigned long long>(R.Entry->OriginalSize),
                 static_cast<unsigned long long>(R.StoredSize));
    if (R.Entry->OriginalSize)
      OS << format("  %5.1f%%", 100.0 * double(R.StoredSize) /
                                    double(R.Entry->OriginalSize));
    if (!R.Entry->Source.empty())
      OS << (R.Entry->OriginalSize ? "  " : "          ")
         << printable(StringRef(R.Entry->Source));
    OS << '\n';
    for (const std::string &Kernel : R.Kernels)
      OS << "  " << printable(demangleName(Kernel)) << '\n';
  }
}

static void printJson(json::OStream &J, const Listing &L, bool WithKernels) {
  J.object([&] {
    J.attribute("path", jsonText(L.Archive->path()));
    J.attributeArray("entries", [&] {
      for (const Row &R : L.Rows)
        J.object([&] {
          J.attribute("binary", jsonText(StringRef(R.Entry->Binary)));
          J.attribute("arch", jsonText(StringRef(R.Entry->Arch)));
          J.attribute("type", jsonText(StringRef(R.Entry->Type)));
          J.attribute("ordinal", R.Entry->Ordinal);
          J.attribute("original_size", R.Entry->OriginalSize);
          J.attribute("stored_size", R.StoredSize);
          J.attribute("source", jsonText(StringRef(R.Entry->Source)));
          if (WithKernels)
            attributeTexts(J, "kernels", R.Kernels);
        });
    });
  });
}

static void printAll(Session &S, ArrayRef<ArchivePlace> Places, Choice &Chosen,
                     bool Json) {
  if (Json) {
    kpack::printJson(S.out(), "kpack.list/1", [&](json::OStream &J) {
      J.attributeArray("archives", [&] {
        for (const ArchivePlace &Place : Places)
          if (std::optional<Listing> L = readListing(S, Place, Chosen))
            printJson(J, *L, Chosen.WithKernels);
      });
    });
    return;
  }
  for (const ArchivePlace &Place : Places) {
    std::optional<Listing> L = readListing(S, Place, Chosen);
    if (!L)
      continue;
    if (Places.size() > 1)
      S.out() << (&Place == Places.begin() ? "" : "\n") << printable(Place.Path)
              << ":\n";
    printTable(S.out(), *L);
  }
}

static void runList(Invocation &I) {
  std::vector<std::string> Paths = getInputs(I, "archive or program");
  Choice Chosen;
  if (Error E = parseFilter(I.Args).moveInto(Chosen.Filter))
    return I.S.error(std::move(E));
  Chosen.WithKernels = I.Args.hasArg(OPT_kernels);
  std::vector<ArchivePlace> Places;
  for (const std::string &Path : Paths) {
    Expected<std::vector<ArchivePlace>> OfPath = findArchives(Path);
    if (OfPath)
      append_range(Places, *OfPath);
    else
      I.S.error(OfPath.takeError());
  }
  if (Places.empty())
    return;
  printAll(I.S, Places, Chosen, I.json());
  if (Chosen.Filter.chooses() && !Chosen.FoundAny && !Chosen.Arches.empty())
    I.S.error(Places.front().Path + (Places.size() > 1 ? " and others" : "") +
              ": no entry matches " + Chosen.Filter.describe() +
              "; there are entries for " + join(Chosen.Arches, ", "));
}

const Command tool::ListCommand = {
    {"list", "<archive or program>...", "list the code objects of archives",
     "list the code objects of archives, one a line, sorted by key and "
     "architecture\n\n"
     "Of a program that ld.kpack has written, those of its archives are "
     "listed.\n"
     "SIZE and STORED are bytes: of the code object, and of its compressed "
     "form "
     "in the\nfile. Code objects that are equal are stored once; 'kpack show' "
     "tells the gain.",
     "  $ kpack list .kpack/app_gfx1100.kpack\n"
     "  $ kpack list --arch=gfx90a,'gfx11*' --binary='lib/*' all.kpack\n"
     "  $ kpack list --kernels bin/app\n"
     "  $ kpack list --json app.kpack | jq '.archives[].entries[].arch'\n",
     ListOption},
    runList};
