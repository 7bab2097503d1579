//===- Show.cpp - kpack show: summary of an archive -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the header of an archive, and totals. Sibling: List.cpp, every entry.
//
//===----------------------------------------------------------------------===//
#include "Tool/ArchiveEntries.h"
#include "Tool/Command.h"
#include "Tool/WrongFile.h"
#include "ToolSupport/Output.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/Support/Format.h"

#include <map>
#include <set>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

namespace {

/// Sizes over a set of entries. Equal code objects are stored once: StoredSize
/// counts each ordinal once, SharedSize is the cost of storing them again.
struct Totals {
  uint64_t Entries = 0;
  uint64_t OriginalSize = 0;
  uint64_t StoredSize = 0;
  uint64_t SharedEntries = 0;
  uint64_t SharedSize = 0;
  std::set<uint64_t> Ordinals;

  void add(const ArchiveEntry &Entry, uint64_t Stored) {
    ++Entries;
    OriginalSize += Entry.OriginalSize;
    if (Ordinals.insert(Entry.Ordinal).second) {
      StoredSize += Stored;
    } else {
      ++SharedEntries;
      SharedSize += Stored;
    }
  }
};

struct Facts {
  std::unique_ptr<const ArchiveReader> Archive;
  Totals All;
  std::map<std::string, Totals> PerArch;
  /// archive_id for each kernel_name that has one.
  std::map<std::string, std::string> Ids;
};

} // namespace

static std::optional<Facts> readFacts(Session &S, const std::string &Path) {
  if (Error E = refuseNoArchive(Path)) {
    S.error(std::move(E));
    return std::nullopt;
  }
  Result<std::unique_ptr<const ArchiveReader>> Archive =
      ArchiveReader::open(Path);
  if (!Archive) {
    S.error(Archive.status());
    return std::nullopt;
  }
  Facts F;
  F.Archive = std::move(*Archive);
  for (std::string_view Arch : F.Archive->architectures())
    F.PerArch[std::string(Arch)];
  for (const ArchiveEntry &Entry : F.Archive->entries()) {
    Result<uint64_t> Stored = F.Archive->storedSize(Entry);
    if (!Stored) {
      S.error(Stored.status());
      continue;
    }
    F.All.add(Entry, *Stored);
    F.PerArch[std::string(Entry.Arch)].add(Entry, *Stored);
  }
  for (std::string_view Binary : F.Archive->binaries()) {
    StringRef Name;
    uint64_t Index;
    if (!splitBinaryKey(Binary, Name, Index))
      continue;
    std::string_view Id = F.Archive->archiveId(Name);
    if (!Id.empty())
      F.Ids[Name.str()] = std::string(Id);
  }
  return F;
}

static void printText(raw_ostream &OS, const Facts &F) {
  const ArchiveReader &A = *F.Archive;
  OS << printable(A.path()) << ": kpack archive, version " << ArchiveVersion
     << '\n';
  OS << "  scheme        " << schemeName(A.scheme()) << '\n';
  OS << "  group         " << printable(StringRef(A.groupName())) << '\n';
  OS << "  family        " << printable(StringRef(A.archFamily())) << '\n';
  OS << "  architectures";
  for (std::string_view Arch : A.architectures())
    OS << ' ' << printable(StringRef(Arch));
  OS << '\n';
  for (const auto &[Name, Id] : F.Ids)
    OS << "  archive id    " << printable(Id) << "  " << printable(Name)
       << '\n';
  if (A.deviceDebug() == DebugInItself)
    OS << "  debug         this is debug information of device code\n";
  else if (!A.deviceDebug().empty())
    OS << "  debug         " << printable(StringRef(A.deviceDebug())) << '\n';
  OS << "  file          " << A.fileSize() << " bytes\n";
  OS << "  entries       " << F.All.Entries << " of "
     << counted(A.binaries().size(), "key") << '\n';
  OS << "  code objects  " << F.All.Ordinals.size() << ", "
     << F.All.OriginalSize << " bytes, stored as " << F.All.StoredSize << '\n';
  OS << "  shared        " << F.All.SharedEntries << ", " << F.All.SharedSize
     << " bytes saved\n";
  for (const auto &[Arch, T] : F.PerArch)
    OS << "  " << left_justify(printable(Arch), 12) << "  " << T.Entries
       << (T.Entries == 1 ? " entry, " : " entries, ") << T.OriginalSize
       << " bytes, stored as " << T.StoredSize << '\n';
}

static void printTotals(json::OStream &J, const Totals &T) {
  J.attribute("entries", T.Entries);
  J.attribute("code_objects", uint64_t(T.Ordinals.size()));
  J.attribute("original_size", T.OriginalSize);
  J.attribute("stored_size", T.StoredSize);
  J.attribute("shared_entries", T.SharedEntries);
  J.attribute("shared_size", T.SharedSize);
}

static void printJson(json::OStream &J, const Facts &F) {
  const ArchiveReader &A = *F.Archive;
  J.object([&] {
    J.attribute("path", jsonText(A.path()));
    J.attribute("version", ArchiveVersion);
    J.attribute("scheme", StringRef(schemeName(A.scheme())));
    J.attribute("group_name", jsonText(StringRef(A.groupName())));
    J.attribute("gfx_arch_family", jsonText(StringRef(A.archFamily())));
    attributeTexts(J, "gfx_arches", A.architectures());
    J.attributeObject("archive_ids", [&] {
      for (const auto &[Name, Id] : F.Ids)
        J.attribute(jsonText(Name), jsonText(Id));
    });
    J.attribute("device_debug", jsonText(StringRef(A.deviceDebug())));
    J.attribute("file_size", A.fileSize());
    J.attribute("binaries", uint64_t(A.binaries().size()));
    printTotals(J, F.All);
    J.attributeArray("architectures", [&] {
      for (const auto &[Arch, T] : F.PerArch)
        J.object([&] {
          J.attribute("arch", jsonText(Arch));
          printTotals(J, T);
        });
    });
  });
}

static void runShow(Invocation &I) {
  std::vector<std::string> Paths = getInputs(I, "archive");
  if (Paths.empty())
    return;
  if (!I.json()) {
    for (const std::string &Path : Paths)
      if (std::optional<Facts> F = readFacts(I.S, Path))
        printText(I.S.out(), *F);
    return;
  }
  kpack::printJson(I.S.out(), "kpack.show/1", [&](json::OStream &J) {
    J.attributeArray("archives", [&] {
      for (const std::string &Path : Paths)
        if (std::optional<Facts> F = readFacts(I.S, Path))
          printJson(J, *F);
    });
  });
}

const Command tool::ShowCommand = {
    {"show", "<archive>...", "summarize archives: header, architectures, sizes",
     "summarize archives: header, architectures, sizes\n\n"
     "The archive id of a kernel name is the identity of its code objects; a "
     "binary\nthat states another one was linked with another archive. "
     "'shared' "
     "counts entries\nwhose code object is stored already for another entry.",
     "  $ kpack show .kpack/*.kpack\n"
     "  $ kpack show --json app.kpack | jq '.archives[].stored_size'\n",
     ShowOption},
    runShow};
