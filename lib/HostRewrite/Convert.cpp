//===- Convert.cpp - fat to host-only -------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at Converter::run. The archives come first, since the marker
// holds the hash of what is in them and its size decides where things go. The
// input is mapped and read once from start to end; only a compressed bundle is
// in memory as a whole. What was written is judged by the verifier, which knows
// nothing of how it was made, before it gets its name.
//
//===----------------------------------------------------------------------===//
#include "kpack/HostRewrite/Convert.h"

#include "DeviceCode.h"
#include "Elf/BareWrappers.h"
#include "Elf/Layout.h"
#include "Elf/Rewrite.h"
#include "FileAttributes.h"
#include "kpack/Archive/Marker.h"
#include "kpack/HostRewrite/Verifier.h"
#include "kpack/Offload/HipSymbols.h"
#include "kpack/Outputs/PendingArchives.h"
#include "kpack/Outputs/SearchPath.h"
#include "kpack/Support/MappedFile.h"
#include "kpack/ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <csignal>
#include <set>

using namespace llvm;

namespace kpack::hostrewrite {

namespace {
class Converter {
public:
  explicit Converter(const ConvertOptions &Options)
      : Options(Options),
        Archives({Options.ArchivePath, Options.KernelName, Options.Archives}) {}
  Expected<Conversion> run();

private:
  Error readBareWrappers();
  Error readWrappers();
  Expected<InputKind> findKind();
  Error checkWrappers() const;
  Error packDeviceCode(const PointerFacts &Pointers, const DeviceRange &Device);
  Expected<std::string> makeMarker();
  Error writeFile(PendingFile &Output,
                  function_ref<Error(raw_pwrite_stream &)> Write);
  Expected<Conversion> copyInput();
  Expected<Conversion> convert();
  Error verify(const PendingFile &Output, const ElfLayout &Layout) const;
  Error commit(PendingFile &Output);

  const ConvertOptions &Options;
  InterruptHandler Handler; // outlives all temporary files
  MappedFile Input;
  ElfView View;
  std::vector<offload::Wrapper> Wrappers;
  PendingArchives Archives;
  ArchiveIdHash Id;
  BuiltCode Built;
  Conversion Done;
};
} // namespace

/// A section of a debug file has its size and no bytes.
static bool isDebugFile(const ElfView &View) {
  for (StringRef Name : {StringRef(offload::WrapperSectionName),
                         StringRef(offload::FatBinSectionName)})
    if (std::optional<size_t> I = View.findSection(Name))
      return View.Sections[*I].sh_type == ELF::SHT_NOBITS;
  return false;
}

/// The wrappers of a file without section headers.
Error Converter::readBareWrappers() {
  if (Error E = findBareWrappers(View).moveInto(Wrappers))
    return E;
  if (Wrappers.empty() && View.Bytes.contains("__CLANG_OFFLOAD_BUNDLE__"))
    return objectError(Options.Input,
                       "no section headers, and device code, but no wrapper "
                       "that leads to it; convert the file as its linker has "
                       "left it");
  return Error::success();
}

Error Converter::readWrappers() {
  StringRef Bytes = Input.bytes();
  Expected<ElfView> Read = ElfView::read(Bytes, Options.Input);
  bool IsBare = Read && Read->Sections.empty() && !Read->Segments.empty() &&
                (Read->Header.e_type == ELF::ET_DYN ||
                 Read->Header.e_type == ELF::ET_EXEC);
  if (Read && (IsBare || isDebugFile(*Read))) {
    View = std::move(*Read);
    return IsBare ? readBareWrappers() : Error::success();
  }
  // What is wrong with the kind of a file is said best by its reader.
  Expected<offload::LinkedBinary> Linked = offload::readLinkedBinary(
      MemoryBufferRef(Bytes, Options.Input), Options.Input);
  if (!Linked) {
    consumeError(Read.takeError());
    return Linked.takeError();
  }
  if (!Read)
    return Read.takeError();
  View = std::move(*Read);
  Wrappers = std::move(Linked->Wrappers);
  if (Wrappers.empty() && Linked->FatBinSize != 0)
    return objectError(Options.Input,
                       "device code, but no wrapper that leads to it; convert "
                       "the file as its linker has left it");
  return Error::success();
}

Expected<InputKind> Converter::findKind() {
  if (Error E = readWrappers())
    return std::move(E);
  if (isDebugFile(View))
    return InputKind::DebugFile;
  Done.WrapperCount = Wrappers.size();
  if (Wrappers.empty())
    return InputKind::NoDeviceCode;
  bool IsHostOnly = all_of(Wrappers, [](const offload::Wrapper &W) {
    return W.Magic == offload::WrapperMagicKpack;
  });
  return IsHostOnly ? InputKind::HostOnly : InputKind::Fat;
}

Error Converter::checkWrappers() const {
  for (const auto &[I, W] : enumerate(Wrappers)) {
    if (W.Magic == offload::WrapperMagicKpack)
      return objectError(
          Options.Input,
          "wrapper " + Twine(I) +
              " was converted already, and "
              "others were not; convert the file as its linker has "
              "left it");
    if (W.Magic != offload::WrapperMagicFat ||
        W.Version != offload::WrapperVersion)
      return objectError(Options.Input,
                         "the wrapper at offset 0x" +
                             Twine::utohexstr(W.FileOffset) +
                             " is of no known kind; build it with a known "
                             "compiler");
  }
  return Error::success();
}

/// Every wrapper's code objects, in the order of their indices.
Error Converter::packDeviceCode(const PointerFacts &Pointers,
                                const DeviceRange &Device) {
  DeviceCode Code(View.Bytes.slice(Device.File.Begin, Device.File.End),
                  Device.Address, Options.Input);
  std::set<std::string> AllTargets;
  for (const auto &[I, Site] : enumerate(Pointers.Wrappers)) {
    Expected<ArrayRef<offload::DeviceImage>> Images = Code.at(Site.Pointer);
    if (!Images)
      return Images.takeError();
    std::set<std::string> Targets;
    for (const offload::DeviceImage &Image : *Images) {
      CodeObject Object{static_cast<uint32_t>(I), Image.Target, Image.Bytes};
      if (Error E = Archives.add(Object))
        return objectError(Options.Input, std::move(E));
      Id.add(Object);
      Targets.insert(Image.Target);
    }
    AllTargets.insert(Targets.begin(), Targets.end());
    Built.add({Targets.begin(), Targets.end()}, /*Name=*/"");
  }
  Done.Targets.assign(AllTargets.begin(), AllTargets.end());
  return Archives.finish(Id.get());
}

Expected<std::string> Converter::makeMarker() {
  Marker M;
  M.KernelName = Options.KernelName;
  M.ArchiveId = Id.get();
  std::vector<std::string> Paths(1);
  if (Error E = relativeSearchPath(Options.ArchivePath, Options.Output)
                    .moveInto(Paths.front()))
    return std::move(E);
  M.SearchPaths = expandFeatureTargets(Paths, Done.Targets);
  // What does not fit is left out, as the linker does.
  M.Built = Built;
  Result<std::string> Bytes = encodeMarker(M);
  if (!Bytes) {
    M.Built = BuiltCode();
    Bytes = encodeMarker(M);
  }
  if (!Bytes)
    return toError(Bytes.status());
  return std::move(*Bytes);
}

/// Writes all of \p Output's temporary file.
Error Converter::writeFile(PendingFile &Output,
                           function_ref<Error(raw_pwrite_stream &)> Write) {
  std::error_code EC;
  raw_fd_ostream OS(Output.temporaryPath(), EC, sys::fs::CD_CreateNew);
  if (EC)
    return fileError(Output.path(), "cannot create", EC);
  Error E = Write(OS);
  Done.OutputSize = OS.tell();
  OS.close();
  EC = OS.error();
  OS.clear_error();
  if (E)
    return E;
  if (EC)
    return fileError(Output.path(), "cannot write", EC);
  copyAttributes(Options.Input, Output.temporaryPath());
  Output.keepOwnMode();
  return Error::success();
}

/// That the file is still the program that it was, but for its device code.
Error Converter::verify(const PendingFile &Output,
                        const ElfLayout &Layout) const {
  Result<MappedFile> Written = MappedFile::open(Output.temporaryPath());
  if (!Written)
    return toError(Written.status());
  StringRef After = Written->bytes();
  std::vector<std::string> Problems = verifyHost(After, Output.path()).Problems;
  // It compares address by address, and does not know what may move.
  if (Problems.empty() && Layout.Moved.empty())
    Problems = compareHost(Input.bytes(), After, Output.path());
  if (Problems.empty())
    return Error::success();
  return objectError(Options.Input, "its conversion would not be right (" +
                                        Problems.front() +
                                        "); keep it as it is, and report this");
}

Error Converter::commit(PendingFile &Output) {
  if (Error E = commitAll(Archives, {&Output}))
    return E;
  Done.ArchivePaths = Archives.paths();
  return Error::success();
}

Expected<Conversion> Converter::copyInput() {
  Done.OutputSize = Input.bytes().size();
  if (sys::fs::equivalent(Options.Input, Options.Output))
    return std::move(Done);
  PendingFile Output(Options.Output);
  if (Error E = writeFile(Output, [&](raw_pwrite_stream &OS) {
        OS << Input.bytes();
        return Error::success();
      }))
    return std::move(E);
  Replacements Old;
  if (Error E = Output.commit(Old))
    return std::move(E);
  Old.forget();
  return std::move(Done);
}

Expected<Conversion> Converter::convert() {
  if (Error E = checkWrappers())
    return std::move(E);
  Expected<PointerFacts> Pointers = readPointers(View, Wrappers);
  if (!Pointers)
    return Pointers.takeError();
  // What cannot be laid out is known before anything is compressed.
  Expected<ElfLayout> Layout = planLayout(View, *Pointers, /*MarkerSize=*/1);
  if (!Layout)
    return Layout.takeError();
  Done.DeviceSize = Layout->Device.File.size();
  if (Error E = packDeviceCode(*Pointers, Layout->Device))
    return std::move(E);
  Expected<std::string> Marker = makeMarker();
  if (!Marker)
    return Marker.takeError();
  if (Error E = planLayout(View, *Pointers, Marker->size()).moveInto(*Layout))
    return std::move(E);
  PendingFile Output(Options.Output);
  if (Error E = writeFile(Output, [&](raw_pwrite_stream &OS) {
        return rewriteElf(View, *Pointers, *Layout, *Marker, OS);
      }))
    return std::move(E);
  if (Error E = verify(Output, *Layout))
    return std::move(E);
  if (Error E = commit(Output))
    return std::move(E);
  return std::move(Done);
}

Expected<Conversion> Converter::run() {
  // A file size limit is an error of the write like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  Result<MappedFile> Mapped = MappedFile::open(Options.Input);
  if (!Mapped)
    return toError(Mapped.status());
  Input = std::move(*Mapped);
  Done.InputSize = Input.bytes().size();
  Expected<InputKind> Kind = findKind();
  if (!Kind)
    return Kind.takeError();
  Done.Kind = *Kind;
  return *Kind == InputKind::Fat ? convert() : copyInput();
}

Expected<Conversion> convertFile(const ConvertOptions &Options) {
  return Converter(Options).run();
}

} // namespace kpack::hostrewrite
