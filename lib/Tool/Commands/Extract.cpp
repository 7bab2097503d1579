//===- Extract.cpp - kpack extract: entries as files ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes code objects of an archive to a file, a directory or standard output.
// Every file appears as a whole or not at all. The names in the archive may be
// hostile: none leaves the directory.
//
//===----------------------------------------------------------------------===//
#include "Archive/LimitedRead.h"
#include "Outputs/MadeFolders.h"
#include "Tool/ArchiveEntries.h"
#include "Tool/Command.h"
#include "Tool/Commands/WholeFile.h"
#include "Tool/WrongFile.h"
#include "ToolSupport/Output.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

/// Returns "<binary key>/<arch>.co". Fails if that is no plain path below the
/// directory.
static Expected<std::string> getRelativePath(const ArchiveReader &Archive,
                                             const ArchiveEntry &Entry) {
  std::string Path =
      (Twine(StringRef(Entry.Binary)) + "/" + StringRef(Entry.Arch) + ".co")
          .str();
  SmallVector<StringRef, 8> Parts;
  StringRef(Path).split(Parts, '/');
  bool Plain = StringRef(Entry.Arch).find('/') == StringRef::npos &&
               !Entry.Arch.empty() && !StringRef(Path).contains('\0') &&
               none_of(Parts, [](StringRef Part) {
                 return Part.empty() || Part == "." || Part == "..";
               });
  if (!Plain)
    return objectError(
        entryName(Archive, Entry),
        "the name is no plain path below a directory; extract it by itself "
        "with --binary= and --arch= to a file");
  return Path;
}

static Error writeFile(const ArchiveReader &Archive, const ArchiveEntry &Entry,
                       StringRef Path) {
  Result<Buffer> Bytes = readLimited(Archive, Entry);
  if (!Bytes)
    return toError(Bytes.status());
  return writeOutput(Path, StringRef(Bytes->bytes()), getReaders(Archive));
}

static void extractToDirectory(Session &S, const ArchiveReader &Archive,
                               ArrayRef<const ArchiveEntry *> Entries,
                               StringRef Directory) {
  MadeFolders Folders;
  for (const ArchiveEntry *Entry : Entries) {
    Expected<std::string> Relative = getRelativePath(Archive, *Entry);
    if (!Relative) {
      S.error(Relative.takeError());
      continue;
    }
    SmallString<256> Path(Directory);
    sys::path::append(Path, *Relative);
    if (Error E = Folders.makeFor(Path))
      S.error(std::move(E));
    else if (Error E = writeFile(Archive, *Entry, Path))
      S.error(std::move(E));
  }
}

static void extractToStdout(Session &S, const ArchiveReader &Archive,
                            const ArchiveEntry &Entry) {
  if (S.out().is_displayed())
    return S.error("standard output: a code object is not for a terminal; "
                   "redirect the output or give a file with -o");
  Result<Buffer> Bytes = readLimited(Archive, Entry);
  if (!Bytes)
    return S.error(Bytes.status());
  S.out() << StringRef(Bytes->bytes());
}

static bool namesDirectory(StringRef Output) {
  return Output.ends_with("/") || sys::fs::is_directory(Output);
}

static void runExtract(Invocation &I) {
  std::vector<std::string> Paths = getInputs(I, "archive");
  Expected<EntryFilter> Filter = parseFilter(I.Args);
  if (!Filter)
    return I.S.error(Filter.takeError());
  if (Paths.empty())
    return;
  if (Paths.size() > 1)
    return I.S.error(Paths[1] +
                     ": a second archive; extract takes one at a time");
  StringRef Output = I.Args.getLastArgValue(OPT_output);
  if (Output.empty())
    return I.S.error(
        "command line: no -o given; name a file, a directory or '-' "
        "for standard output");

  if (sys::fs::equivalent(Output, Paths.front()))
    return I.S.error(
        Output +
        ": the output is the archive itself; give another name with -o");

  if (Error E = refuseNoArchive(Paths.front()))
    return I.S.error(std::move(E));
  Result<std::unique_ptr<const ArchiveReader>> Archive =
      ArchiveReader::open(Paths.front());
  if (!Archive)
    return I.S.error(Archive.status());
  std::vector<const ArchiveEntry *> Entries;
  for (const ArchiveEntry &Entry : (*Archive)->entries())
    if (Filter->matches(Entry))
      Entries.push_back(&Entry);
  if (Entries.empty() && !Filter->describe().empty())
    return I.S.error(Paths.front() + ": no entry matches " +
                     Filter->describe() + "; 'kpack list' names the entries");

  if (Output != "-" && namesDirectory(Output))
    return extractToDirectory(I.S, **Archive, Entries, Output);
  if (Entries.size() != 1)
    return I.S.error(
        Output + ": " + Twine(Entries.size()) +
        " code objects for one file; choose one with --binary= and "
        "--arch=, or give a directory (with '/' at the end)");
  if (Output == "-")
    return extractToStdout(I.S, **Archive, *Entries.front());
  MadeFolders Folders;
  if (Error E = Folders.makeFor(Output))
    return I.S.error(std::move(E));
  I.S.error(writeFile(**Archive, *Entries.front(), Output));
}

const Command tool::ExtractCommand = {
    {"extract", "<archive>", "write code objects of an archive to files",
     "write code objects of an archive to files\n\n"
     "With a directory, every code object that matches goes to "
     "<dir>/<key>/<arch>.co.\nWith a file or '-', exactly one must match. A "
     "file that exists is replaced, at\nonce and as a whole.",
     "  $ kpack extract app_gfx1100.kpack -o objects/\n"
     "  $ kpack extract app.kpack --binary='bin/app#0' --arch=gfx90a -o k.co\n"
     "  $ kpack extract app.kpack --arch=gfx1100 -o - | llvm-readelf -h -\n",
     ExtractOption},
    runExtract};
