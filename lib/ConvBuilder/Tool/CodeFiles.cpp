//===- CodeFiles.cpp - kernels in files of a command line -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first bytes of a file determine its kind.
//
//===----------------------------------------------------------------------===//
#include "CodeFiles.h"

#include "ConvBuilder/Emit.h"
#include "Support/ElfNotes.h"
#include "Support/MappedFile.h"
#include "ToolSupport/Errors.h"
#include "kpack/Archive/ArchiveReader.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

static Error addKernels(const std::string &Where, std::string_view Image,
                        std::vector<FoundKernel> &Found) {
  Result<std::vector<KernelTraits>> All = traits(Image);
  if (!All)
    return objectError(Where, All.status().message());
  for (KernelTraits &Kernel : *All)
    Found.push_back({Where, std::move(Kernel)});
  return Error::success();
}

static Error addArchive(const std::string &Path, std::string_view Bytes,
                        std::vector<FoundKernel> &Found) {
  Result<std::unique_ptr<const ArchiveReader>> Archive =
      ArchiveReader::fromMemory(Bytes, Path);
  if (!Archive)
    return createStringError(inconvertibleErrorCode(),
                             Archive.status().message());
  for (const ArchiveEntry &Entry : (*Archive)->entries()) {
    Result<Buffer> Image = (*Archive)->read(Entry);
    if (!Image)
      return createStringError(inconvertibleErrorCode(),
                               Image.status().message());
    std::string_view Code(Image->data(), Image->size());
    if (elfNotes(Code, "kpack", ConvNoteType).empty())
      continue;
    std::string Where = Path + ": " + std::string(Entry.Binary) + ", " +
                        std::string(Entry.Arch);
    if (Error E = addKernels(Where, Code, Found))
      return E;
  }
  if (Found.empty())
    return objectError(Path, "has no kernels of convolutions; give an archive "
                             "or a code object that this builder has made");
  return Error::success();
}

Expected<std::optional<std::vector<FoundKernel>>>
conv::getKernels(StringRef Word) {
  // Texts begin with a brace.
  if (Word == "-" || Word.ltrim().starts_with("{"))
    return std::nullopt;
  Word.consume_front("@");
  Result<MappedFile> File = MappedFile::open(Word.str());
  if (!File)
    return std::nullopt;
  std::string_view Bytes = File->bytes();
  std::vector<FoundKernel> All;
  Error E = Error::success();
  if (Bytes.starts_with("\x7f"
                        "ELF"))
    E = addKernels(Word.str(), Bytes, All);
  else if (Bytes.starts_with(ArchiveMagic))
    E = addArchive(Word.str(), Bytes, All);
  else
    return std::nullopt;
  if (E)
    return std::move(E);
  return All;
}
