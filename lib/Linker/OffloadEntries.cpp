//===- OffloadEntries.cpp - new-driver -fgpu-rdc objects ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object that is linked for certain is judged before the link. Whether a
// library's member is linked only lld knows, so members are judged afterwards:
// the output has a section of entries if one of them came in, and the message
// then names the first that may have.
//
// That clang-linker-wrapper has run shows in the object that it adds: that one
// refers to the start of the table, __start_llvm_offload_entries. The bytes of
// the inputs are searched for this name, whatever kind of object they are, but
// only when some input needs the wrapper.
//
// An object of that driver whose device half was dropped has nothing for the
// wrapper: its kernels are looked for after the link, among what the output
// calls.
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

/// Sections that hold the table, as compilers of LLVM 20 and later name it, and
/// those before.
static constexpr StringLiteral EntrySections[] = {"llvm_offload_entries",
                                                  "hip_offloading_entries"};

/// The object with which clang-linker-wrapper registers the kernels of a
/// new-driver -fgpu-rdc link walks the table of all offload entries.
static bool registersOffloadEntries(const InputFiles &Inputs) {
  for (const std::unique_ptr<InputFile> &File : Inputs.files())
    for (const InputObject &Object : File->Objects)
      if (!Object.IsLazy && any_of(EntrySections, [&](StringRef Name) {
            return Object.Bytes.getBuffer().contains(("__start_" + Name).str());
          }))
        return true;
  return false;
}

/// An object whose device code only clang-linker-wrapper can link, in a link
/// where that has not been run. \p Lazy: among those that may not be linked.
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

/// The first object with kernel stubs that nothing registers, of those that are
/// linked for certain or else of the others; null: there is none.
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
  // Kernels of other objects may be registered, and not those of the table.
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
