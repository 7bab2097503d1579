//===- VerifyCode.cpp - code objects against the originals ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code objects in the archives of a host-only binary or a reference have to
// equal those of the fat file, except for stripped debug information.
// VerifyBinary.cpp checks that nothing is missing that the marker lists; this
// file reports the targets that the marker lacks.
//
//===----------------------------------------------------------------------===//
#include "Tool/Verify/VerifyCode.h"

#include "Archive/LimitedRead.h"
#include "Offload/HipSymbols.h"
#include "Tool/HostBinary.h"
#include "Tool/ObjectDiff.h"
#include "ToolSupport/Session.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

namespace {
class CodeComparer {
public:
  CodeComparer(const HostBinary &Packed, StringRef Original,
               const VerifyScope &Scope, VerifyReport &Report,
               std::set<std::string> &LeftOut)
      : Packed(Packed), Original(Original), Scope(Scope), Report(Report),
        LeftOut(LeftOut) {}
  Error run();

private:
  void openArchives();
  Error compareReference();
  Error compareBinary();
  bool compare(uint64_t Index, const offload::DeviceImage &Image);

  const HostBinary &Packed;
  const StringRef Original;
  const VerifyScope &Scope;
  VerifyReport &Report;
  std::set<std::string> &LeftOut;
  std::vector<std::unique_ptr<const ArchiveReader>> Archives;
};
} // namespace

/// Ignores archives that cannot be opened; they were reported.
void CodeComparer::openArchives() {
  std::set<std::string> Seen;
  for (const SearchPath &Search : Packed.SearchPaths)
    for (const FoundArchive &File : Search.Found) {
      if (!Seen.insert(File.Path).second)
        continue;
      Result<std::unique_ptr<const ArchiveReader>> Archive =
          ArchiveReader::open(File.Path);
      if (Archive)
        Archives.push_back(std::move(*Archive));
    }
}

/// Returns false if, by the marker, the binary has no such code.
bool CodeComparer::compare(uint64_t Index, const offload::DeviceImage &Image) {
  if (Image.Bytes.empty())
    return true;
  std::string Key = Packed.getKey(Index);
  for (const std::unique_ptr<const ArchiveReader> &Archive : Archives) {
    const ArchiveEntry *Entry = Archive->find(Key, Image.Target);
    if (!Entry)
      continue;
    Result<Buffer> Bytes = readLimited(*Archive, *Entry);
    if (!Bytes)
      return true; // reported as well
    std::optional<ObjectDifference> Differs =
        compareObjects(Image.Bytes, Bytes->bytes());
    if (Differs && Differs->InLoaded)
      Report.problem(Twine(Archive->path()) + ": code object '" + Key +
                     "' for " + Image.Target + " is not that of " + Original +
                     ": " + join(Differs->Sections, ", ") +
                     " differ; pack the tree again");
    return true;
  }
  const BuiltCode &Built = Packed.Ref->Built;
  const std::vector<std::string> *Targets = Built.targetsOf(Index);
  if (!Built.empty() && (!Targets || !is_contained(*Targets, Image.Target)))
    return LeftOut.insert(Image.Target), false;
  if (Built.empty() && Scope.wants(Image.Target))
    Report.problem(Twine(Packed.Path) + ": no archive has the code object '" +
                   Key + "' for " + Image.Target + " of " + Original +
                   "; put its archive there");
  return true;
}

/// A reference replaces a file with some of this code. One of another file
/// would have none of it.
Error CodeComparer::compareReference() {
  bool IsOfAny = false, IsAnyWanted = false;
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFile(Original, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!File)
    return errorCodeToError(File.getError());
  Expected<std::vector<offload::Container>> All =
      offload::readContainers((*File)->getBuffer(), Original);
  if (!All)
    return All.takeError();
  for (const offload::Container &One : *All) {
    auto Compare = [&](const offload::StreamedImage &Image) -> Error {
      IsOfAny |= compare(/*Index=*/0, {Image.Target, Image.Bytes});
      IsAnyWanted |= Scope.wants(Image.Target);
      return Error::success();
    };
    if (Error E = offload::forEachImage(One, Original, Compare))
      return E;
  }
  if (!IsOfAny && IsAnyWanted)
    Report.problem(Twine(Packed.Path) + ": leads to '" + Packed.getKey(0) +
                   "', which has no code of " + Original +
                   "; pack the tree again");
  return Error::success();
}

Error CodeComparer::compareBinary() {
  Expected<HostBinary> Fat = readHostBinary(Original);
  if (!Fat)
    return Fat.takeError();
  // The comparison of the host parts checked the number of wrappers.
  if (Fat->Linked.Wrappers.size() != Packed.Linked.Wrappers.size())
    return Error::success();
  for (const auto &[Old, New] :
       zip_equal(Fat->Linked.Wrappers, Packed.Linked.Wrappers)) {
    if (Old.Magic != offload::WrapperMagicFat)
      continue;
    uint32_t Index = uint32_t(New.Reserved1);
    auto Compare = [&](const offload::StreamedImage &Image) -> Error {
      compare(Index, {Image.Target, Image.Bytes});
      return Error::success();
    };
    if (Error E = forEachImageAt(*Fat, Old.Pointer, Compare))
      return E;
  }
  return Error::success();
}

Error CodeComparer::run() {
  openArchives();
  return Packed.IsReference ? compareReference() : compareBinary();
}

void tool::compareCode(const HostBinary &Packed, StringRef Original,
                       const VerifyScope &Scope, VerifyReport &Report,
                       std::set<std::string> &LeftOut) {
  if (!Packed.Ref)
    return;
  if (Error E = CodeComparer(Packed, Original, Scope, Report, LeftOut).run())
    Report.problem(Twine(Original) + ": its device code cannot be read: " +
                   toString(std::move(E)));
}
