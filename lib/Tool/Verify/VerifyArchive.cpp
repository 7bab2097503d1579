//===- VerifyArchive.cpp - checks of an archive ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the gaps, every entry (the reader checks sizes, hints and checksums;
// the ELF header has to match the architecture in the table of contents), and
// that loaders can find all names. Siblings: VerifyEntries.cpp,
// VerifyBinary.cpp.
//
//===----------------------------------------------------------------------===//
#include "Tool/ArchiveEntries.h"
#include "Tool/Verify/Verify.h"
#include "ToolSupport/Session.h"
#include "kpack/Support/TargetId.h"

#include <set>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

/// Checks bytes that loaders ignore and writers leave empty.
static void checkLayout(const ArchiveReader &Archive, VerifyReport &Report) {
  const std::string &File = Archive.path();
  if (!Archive.reservedIsZero())
    Report.problem(Twine(File) +
                   ": offset 16: the 48 reserved bytes of the header are not "
                   "zero; the file is damaged, build or install it again");
  uint64_t Behind = Archive.fileSize() - Archive.tocEnd();
  if (Behind)
    Report.problem(Twine(File) + ": offset " + Twine(Archive.tocEnd()) + ": " +
                   counted(Behind, "byte") +
                   " behind the table of contents, which ROCm's Python package "
                   "refuses; build or install the archive again");
}

/// Reports names that the loader cannot find in a well-formed file.
static void checkNames(const ArchiveReader &Archive, VerifyReport &Report) {
  const std::string &File = Archive.path();
  size_t Plain = 0;
  for (std::string_view Key : Archive.binaries()) {
    StringRef Name;
    uint64_t Index;
    if (!Key.empty() && !StringRef(Key).contains('#'))
      ++Plain; // The name of a file in a database, such as Tensile's.
    else if (!splitBinaryKey(Key, Name, Index))
      Report.problem(
          Twine(File) + ": toc key '" + StringRef(Key) +
          "' does not end in '#<index>', so no loader asks for it; build the "
          "archive with a kpack linker or splitter");
  }
  if (Plain)
    Report.Notes.push_back(
        File + ": " + counted(Plain, "key") +
        " without '#<index>': libraries ask for them by name, loaders of "
        "binaries do not");
  const std::vector<std::string_view> &Arches = Archive.architectures();
  std::set<std::string_view> Listed(Arches.begin(), Arches.end());
  std::set<std::string_view> Unlisted;
  for (const ArchiveEntry &Entry : Archive.entries())
    if (!Listed.count(Entry.Arch))
      Unlisted.insert(Entry.Arch);
  for (std::string_view Arch : Unlisted)
    Report.problem(
        Twine(File) + ": architecture '" + StringRef(Arch) +
        "' is not in gfx_arches, so no loader asks for its code; build the "
        "archive again");
  for (std::string_view Arch : Arches)
    if (!isCodeTarget(Arch))
      Report.problem(Twine(File) + ": '" + StringRef(Arch) +
                     "' in gfx_arches is not a target id; build the "
                     "archive again");
}

VerifyReport tool::verifyArchive(StringRef Path, uint64_t UnpackedAlways) {
  VerifyReport Report;
  Report.Path = Path.str();
  Report.Kind = "archive";
  Result<std::unique_ptr<const ArchiveReader>> Archive =
      ArchiveReader::open(Report.Path);
  if (!Archive) {
    Report.problem(Archive.status().message());
    return Report;
  }
  checkLayout(**Archive, Report);
  checkNames(**Archive, Report);
  std::vector<const ArchiveEntry *> Entries;
  for (const ArchiveEntry &Entry : (*Archive)->entries())
    Entries.push_back(&Entry);
  verifyEntries(**Archive, Entries, UnpackedAlways, Report.Problems);

  size_t Arches = (*Archive)->architectures().size();
  Report.Summary = counted(Entries.size(), "code object") + ", " +
                   counted(Arches, "architecture");
  return Report;
}
