//===- FatFile.cpp - tables and wrappers of a file to convert -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With section headers, wrappers are found through these, as the linker and
// `kpack ref` do, otherwise by their contents (BareWrappers.h).
//
//===----------------------------------------------------------------------===//
#include "FatFile.h"

#include "../HostFile.h"
#include "BareWrappers.h"
#include "Offload/CutOff.h"
#include "Offload/HipSymbols.h"
#include "ProgramHeaders.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace kpack::hostrewrite {

static constexpr StringLiteral AsLinked =
    "convert the file as its linker has left it";

/// A section of a debug file has its size and no bytes.
static bool isDebugFile(const ElfView &View) {
  for (StringRef Name : {StringRef(offload::WrapperSectionName),
                         StringRef(offload::FatBinSectionName)})
    if (std::optional<size_t> I = View.findSection(Name))
      return View.Sections[*I].sh_type == ELF::SHT_NOBITS;
  return false;
}

static bool isBare(const ElfView &View) {
  uint16_t Type = View.Header.e_type;
  return View.Sections.empty() && !View.Segments.empty() &&
         (Type == ELF::ET_DYN || Type == ELF::ET_EXEC);
}

static Error readBare(FatFile &File) {
  if (Error E = findBareWrappers(File.View).moveInto(File.Wrappers))
    return E;
  if (File.Wrappers.empty() &&
      File.View.Bytes.contains("__CLANG_OFFLOAD_BUNDLE__"))
    return File.View.error("no section headers, and device code, but no "
                           "wrapper that leads to it; " +
                           AsLinked);
  return Error::success();
}

static Error readBySections(FatFile &File) {
  const ElfView &View = File.View;
  Expected<offload::LinkedBinary> Linked = offload::readLinkedBinary(
      MemoryBufferRef(View.Bytes, View.Name), View.Name);
  if (!Linked)
    return Linked.takeError();
  File.Wrappers = std::move(Linked->Wrappers);
  if (File.Wrappers.empty() && Linked->FatBinSize != 0)
    return View.error("device code, but no wrapper that leads to it; " +
                      AsLinked);
  return Error::success();
}

Expected<FatFile> readFatFile(StringRef Bytes, StringRef Name) {
  FatFile File;
  if (Error E = ElfView::read(Bytes, Name).moveInto(File.View)) {
    if (Error Cut = offload::checkNotCutOff(Bytes, Name)) {
      consumeError(std::move(E));
      return std::move(Cut);
    }
    // The reader of linked binaries has better messages for other kinds of
    // files.
    Expected<offload::LinkedBinary> Linked =
        offload::readLinkedBinary(MemoryBufferRef(Bytes, Name), Name);
    if (Linked)
      return std::move(E);
    consumeError(std::move(E));
    return Linked.takeError();
  }
  if (isDebugFile(File.View)) {
    File.Kind = InputKind::DebugFile;
    return std::move(File);
  }
  if (Error E = isBare(File.View) ? readBare(File) : readBySections(File))
    return std::move(E);
  if (Error E = kindByWrappers(File.Wrappers, Name).moveInto(File.Kind))
    return std::move(E);
  if (File.Kind == InputKind::Fat)
    if (Error E = checkProgramHeaders(File.View))
      return std::move(E);
  return std::move(File);
}

} // namespace kpack::hostrewrite
