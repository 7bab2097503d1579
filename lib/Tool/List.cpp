//===- List.cpp - kpack list ----------------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line an entry: key, architecture, sizes. Sibling: Show.cpp, the summary.
//
//===----------------------------------------------------------------------===//
#include "Command.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

namespace {

struct Row {
  const ArchiveEntry *Entry;
  uint64_t StoredSize;
};

struct Listing {
  std::unique_ptr<const ArchiveReader> Archive;
  std::vector<Row> Rows;
};

} // namespace

/// The archive's entries that pass the filter. An entry whose bytes lie outside
/// the file is reported and left out.
static std::optional<Listing> readListing(Session &S, const std::string &Path,
                                          const EntryFilter &Filter) {
  Result<std::unique_ptr<const ArchiveReader>> Archive =
      ArchiveReader::open(Path);
  if (!Archive) {
    S.error(Archive.status());
    return std::nullopt;
  }
  Listing L;
  L.Archive = std::move(*Archive);
  for (const ArchiveEntry &Entry : L.Archive->entries()) {
    if (!Filter.matches(Entry))
      continue;
    Result<uint64_t> Stored = L.Archive->storedSize(Entry);
    if (Stored)
      L.Rows.push_back({&Entry, *Stored});
    else
      S.error(Stored.status());
  }
  return L;
}

static void printTable(raw_ostream &OS, const Listing &L) {
  size_t BinaryWidth = 6, ArchWidth = 4;
  for (const Row &R : L.Rows) {
    BinaryWidth =
        std::max(BinaryWidth, printable(StringRef(R.Entry->Binary)).size());
    ArchWidth = std::max(ArchWidth, printable(StringRef(R.Entry->Arch)).size());
  }
  OS << left_justify("BINARY", BinaryWidth) << "  "
     << left_justify("ARCH", ArchWidth) << "        SIZE      STORED   RATIO\n";
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
    OS << '\n';
  }
}

static void printJson(json::OStream &J, const Listing &L) {
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
        });
    });
  });
}

static void runList(Session &S, const InputArgList &Args) {
  std::vector<std::string> Paths = inputsOf(S, Args, ListCommand, "archive");
  Expected<EntryFilter> Filter = filterOf(Args);
  if (!Filter)
    return S.error(Filter.takeError());
  if (Paths.empty())
    return;

  if (Args.hasArg(OPT_json)) {
    json::OStream J(S.out(), /*IndentSize=*/2);
    J.object([&] {
      J.attribute("schema", "kpack.list/1");
      J.attributeArray("archives", [&] {
        for (const std::string &Path : Paths)
          if (std::optional<Listing> L = readListing(S, Path, *Filter))
            printJson(J, *L);
      });
    });
    S.out() << '\n';
    return;
  }
  for (const std::string &Path : Paths) {
    std::optional<Listing> L = readListing(S, Path, *Filter);
    if (!L)
      continue;
    if (Paths.size() > 1)
      S.out() << (Path == Paths.front() ? "" : "\n") << printable(Path)
              << ":\n";
    printTable(S.out(), *L);
  }
}

const Command tool::ListCommand = {
    "list",
    "<archive>...",
    "list the code objects of archives",
    "list the code objects of archives, one a line, sorted by key and "
    "architecture\n\n"
    "SIZE and STORED are bytes: of the code object, and of its compressed form "
    "in the\nfile. Code objects that are equal are stored once; 'kpack show' "
    "tells the gain.",
    "  $ kpack list .kpack/app_gfx1100.kpack\n"
    "  $ kpack list --arch='gfx11*' --binary='lib/*' all.kpack\n"
    "  $ kpack list --json app.kpack | jq '.archives[].entries[].arch'\n",
    ListOption,
    runList};
