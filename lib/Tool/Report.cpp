//===- Report.cpp - kpack report ------------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the bytes of archives go. What a code object takes in the archive is
// known; what of it is debug information is asked by compressing the rest, and
// that is shared out among the kernels as their instructions are long. A code
// object that several entries share counts once, for the first of them.
// Sibling: ReportHtml.cpp.
//
//===----------------------------------------------------------------------===//
#include "Report.h"
#include "ArchivesOf.h"
#include "CodeObject.h"
#include "Command.h"
#include "FolderWalk.h"
#include "kpack/Offload/DeviceDebug.h"
#include "kpack/Offload/KernelFacts.h"
#include "kpack/ToolSupport/Demangle.h"
#include "kpack/ToolSupport/Errors.h"
#include "kpack/ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

#include <map>
#include <set>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

/// What of the \p Stored bytes of the code object \p Full its debug information
/// takes, about.
static uint64_t debugShare(StringRef Full, StringRef Bare, bool IsCompressed,
                           uint64_t Stored) {
  if (!IsCompressed || !compression::zstd::isAvailable())
    return std::min<uint64_t>(Stored, Full.size() - Bare.size());
  SmallVector<uint8_t, 0> Smaller;
  compression::zstd::compress(arrayRefFromStringRef(Bare), Smaller, 3);
  return Stored - std::min<uint64_t>(Stored, Smaller.size());
}

/// Shares \p Stored bytes of the code object \p Bytes out among its kernels.
static void shareOut(StringRef Bytes, uint64_t Stored, LibraryShare &Share) {
  Share.Other += Stored;
  Expected<offload::CodeObjectFacts> Facts = offload::readKernelFacts(Bytes);
  if (!Facts)
    return consumeError(Facts.takeError()); // verify says what is wrong
  uint64_t Left = Stored;
  for (const offload::KernelFacts &Kernel : Facts->Kernels) {
    double Part = double(Kernel.CodeSize.value_or(0)) / double(Bytes.size());
    uint64_t Size = std::min<uint64_t>(
        Left, uint64_t(std::min(Part, 1.0) * double(Stored)));
    Left -= Size;
    Share.Kernels[demangleName(Kernel.Name)] += Size;
  }
  Share.Other -= Stored - Left;
}

static Error addEntry(const ArchiveReader &From, const ArchiveEntry &Entry,
                      SizeReport &Report) {
  Result<uint64_t> Stored = From.storedSize(Entry);
  if (!Stored)
    return toError(Stored.status());
  Result<Buffer> Content = From.read(Entry);
  if (!Content)
    return toError(Content.status());
  StringRef Full(Content->bytes());
  std::unique_ptr<MemoryBuffer> Bare;
  // What cannot be stripped has nothing that strip would save.
  if (Error E = offload::withoutDeviceDebug(Full).moveInto(Bare))
    consumeError(std::move(E));
  StringRef Rest = Bare ? Bare->getBuffer() : Full;
  uint64_t Debug =
      Bare ? debugShare(Full, Rest,
                        From.scheme() == CompressionScheme::ZstdPerKernel,
                        *Stored)
           : 0;
  StringRef Library = Entry.Binary;
  uint64_t Index;
  splitBinaryKey(Entry.Binary, Library, Index);
  LibraryShare &Share = Report.Targets[std::string(Entry.Arch)][Library.str()];
  ++Share.Objects;
  Share.Plain += Full.size();
  Share.Stored += *Stored;
  Share.Debug += Debug;
  shareOut(Rest, *Stored - Debug, Share);
  Report.Stored += *Stored;
  if (From.deviceDebug() != DebugInItself)
    Report.Strippable += Debug;
  return Error::success();
}

/// The ordinals that were counted, by archive: one may have several names, and
/// several programs may share one.
using CountedCode = std::map<sys::fs::UniqueID, std::set<uint64_t>>;

static Error addArchive(const ArchivePlace &Place, CountedCode &Counted,
                        SizeReport &Report) {
  Result<std::unique_ptr<const ArchiveReader>> From =
      ArchiveReader::open(Place.Path);
  if (!From)
    return toError(From.status());
  sys::fs::UniqueID Id;
  if (std::error_code EC = sys::fs::getUniqueID(Place.Path, Id))
    return objectError(Place.Path,
                       EC.message() + "; give an archive that can be read");
  auto [At, IsNew] = Counted.try_emplace(Id);
  std::set<uint64_t> &Seen = At->second;
  if (IsNew) {
    ++Report.Archives;
    Report.FileSize += (*From)->fileSize();
  }
  for (const ArchiveEntry &Entry : (*From)->entries())
    if (Place.isOfBinary(Entry) && Seen.insert(Entry.Ordinal).second)
      if (Error E = addEntry(**From, Entry, Report))
        return E;
  return Error::success();
}

/// The archives below the folder \p Path, in the order of their names.
static std::vector<ArchivePlace> archivesBelow(Session &S,
                                               const std::string &Path) {
  std::vector<ArchivePlace> Places;
  std::error_code EC =
      forEachFile(Path, [&](const std::string &File, StringRef Magic) {
        if (looksLikeArchive(File, Magic))
          Places.push_back({File, ""});
      });
  if (EC)
    S.error(Path + ": " + EC.message() + "; give a folder that can be read");
  else if (Places.empty())
    S.error(Path + ": no archive in this folder; give one that has some");
  llvm::sort(Places, [](const ArchivePlace &A, const ArchivePlace &B) {
    return A.Path < B.Path;
  });
  return Places;
}

static void printText(raw_ostream &OS, const SizeReport &Report) {
  OS << left_justify("TARGET", 16) << right_justify("OBJECTS", 8)
     << right_justify("SIZE", 13) << right_justify("STORED", 13)
     << right_justify("DEBUG", 13) << "  LIBRARY\n";
  for (const auto &[Target, Libraries] : Report.Targets)
    for (const auto &[Library, Share] : Libraries)
      OS << left_justify(printable(Target), 16)
         << right_justify(utostr(Share.Objects), 8)
         << right_justify(utostr(Share.Plain), 13)
         << right_justify(utostr(Share.Stored), 13)
         << right_justify(utostr(Share.Debug), 13) << "  " << printable(Library)
         << '\n';
  OS << counted(Report.Archives, "archive") << ", " << Report.FileSize
     << " bytes; 'kpack strip' would save about " << Report.Strippable;
  if (Report.FileSize)
    OS << format(" (%.0f %%)",
                 100.0 * double(Report.Strippable) / double(Report.FileSize));
  OS << '\n';
}

static void runReport(Session &S, const InputArgList &Args) {
  SizeReport Report;
  CountedCode Counted;
  for (const std::string &Path :
       inputsOf(S, Args, ReportCommand, "archive, program or folder")) {
    std::vector<ArchivePlace> Places;
    if (sys::fs::is_directory(Path))
      Places = archivesBelow(S, Path);
    else if (Error E = archivesOf(Path).moveInto(Places))
      S.error(std::move(E));
    for (const ArchivePlace &Place : Places)
      if (Error E = addArchive(Place, Counted, Report))
        S.error(std::move(E));
  }
  if (const Arg *Page = Args.getLastArg(OPT_html_EQ))
    if (Error E = writeOutput(Page->getValue(), reportPage(Report)))
      S.error(std::move(E));
  if (Args.hasArg(OPT_json))
    return printJson(S.out(), "kpack.report/1",
                     [&](json::OStream &J) { addReport(J, Report); });
  printText(S.out(), Report);
}

const Command tool::ReportCommand = {
    {"report", "<archive, program or folder>...",
     "say where the bytes of archives go",
     "say where the bytes of archives go\n\n"
     "By target, by library and by kernel: what code objects take in the "
     "archives, and\nwhat of that is debug information, which 'kpack strip' "
     "would save. With --html=\nthe same as a page with a treemap.",
     "  $ kpack report .kpack/*.kpack\n"
     "  $ kpack report --html=sizes.html /opt/app\n"
     "  $ kpack report --json app | jq '.strippable'\n",
     ReportOption},
    runReport};
