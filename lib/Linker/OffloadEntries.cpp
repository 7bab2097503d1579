//===- OffloadEntries.cpp - check for new-driver rdc objects --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects that are certainly linked are checked before the link. Only lld knows
// which library members are linked, so these are checked afterwards: the output
// has a section of entries if one of them was, and the message names the first
// candidate.
//
// If clang-linker-wrapper has run, the object that it adds refers to the start
// of the table, __start_llvm_offload_entries. We search the bytes of the inputs
// for this name, whatever kind of object they are, but only if some input needs
// the wrapper.
//
// An object of the new driver whose device half was dropped has no code for the
// wrapper. We look for its kernels after the link, among the calls of the
// output.
//
//===----------------------------------------------------------------------===//
#include "OffloadEntries.h"

#include "Offload/Registration.h"
#include "ToolSupport/ElfFile.h"
#include "ToolSupport/Errors.h"

using namespace llvm;
using kpack::ElfFile;
using kpack::objectError;

namespace kpack::linker {

/// Sections that hold the table, as named by LLVM 20 and later, and by earlier
/// versions.
static constexpr StringLiteral EntrySections[] = {"llvm_offload_entries",
                                                  "hip_offloading_entries"};

/// True if an input is the object with which clang-linker-wrapper registers the
/// kernels of a new-driver -fgpu-rdc link: it walks the table of all offload
/// entries.
static bool registersOffloadEntries(const InputFiles &Inputs) {
  for (const std::unique_ptr<InputFile> &File : Inputs.files())
    for (const InputObject &Object : File->Objects)
      if (!Object.IsLazy && any_of(EntrySections, [&](StringRef Name) {
            return Object.Bytes.getBuffer().contains(("__start_" + Name).str());
          }))
        return true;
  return false;
}

/// Returns an object that needs clang-linker-wrapper, in a link where that has
/// not run. \p Lazy selects the objects that may stay out of the link.
static const InputObject *findUnwrapped(const InputFiles &Inputs, bool Lazy) {
  for (const std::unique_ptr<InputFile> &File : Inputs.files())
    for (const InputObject &Object : File->Objects)
      if (Object.Contents.NeedsLinkerWrapper && Object.IsLazy == Lazy)
        return registersOffloadEntries(Inputs) ? nullptr : &Object;
  return nullptr;
}

static Error linkWithWrapper(const InputObject &Object) {
  return objectError(Object.Name,
                     "-fgpu-rdc object of the new offload driver; link with "
                     "--offload-link (clang-linker-wrapper), or compile with "
                     "--no-offload-new-driver");
}

static bool hasEntries(MemoryBufferRef Linked) {
  Expected<ElfFile> File = ElfFile::create(Linked.getBuffer());
  auto Sections = File ? File->sections() : File.takeError();
  if (!Sections) {
    consumeError(Sections.takeError());
    return false;
  }
  return any_of(*Sections, [&](const ElfFile::Type::Shdr &Section) {
    Expected<StringRef> Found = File->getSectionName(Section);
    if (!Found)
      consumeError(Found.takeError());
    else if (is_contained(EntrySections, *Found))
      return true;
    return false;
  });
}

Error checkOffloadEntries(const InputFiles &Inputs) {
  if (const InputObject *Object = findUnwrapped(Inputs, /*Lazy=*/false))
    return linkWithWrapper(*Object);
  return Error::success();
}

Error checkOffloadEntries(const InputFiles &Inputs, MemoryBufferRef Linked) {
  if (const InputObject *Object = findUnwrapped(Inputs, /*Lazy=*/true))
    if (hasEntries(Linked))
      return linkWithWrapper(*Object);
  return Error::success();
}

/// Returns the first object with kernel stubs that no object registers,
/// preferring those that are certainly linked; or null.
static const InputObject *findUnregistered(const InputFiles &Inputs) {
  const InputObject *Lazy = nullptr;
  for (const std::unique_ptr<InputFile> &File : Inputs.files())
    for (const InputObject &Object : File->Objects) {
      if (!Object.Contents.NeedsRegistration)
        continue;
      if (!Object.IsLazy)
        return &Object;
      if (!Lazy)
        Lazy = &Object;
    }
  return Lazy;
}

Error checkRegistration(const InputFiles &Inputs, MemoryBufferRef Linked) {
  const InputObject *Object = findUnregistered(Inputs);
  if (!Object || !offload::launchesKernels(Linked.getBuffer()))
    return Error::success();
  // Registration of other kernels does not cover those of the table.
  bool IsTableLeft = hasEntries(Linked) && !registersOffloadEntries(Inputs);
  if (!IsTableLeft && !offload::launchesUnregistered(Linked.getBuffer()))
    return Error::success();
  return objectError(Object->Name,
                     "launches kernels that no object of the link "
                     "registers: their device code was dropped when it was "
                     "compiled; compile it with --no-offload-new-driver, by a "
                     "clang that has the old offload driver");
}

} // namespace kpack::linker
