//===- WholeFile.cpp - bytes and reader of one open file ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Siblings: MappedFile for large inputs, ArchiveReader for archives.
//
//===----------------------------------------------------------------------===//
#include "Tool/Commands/WholeFile.h"

#include "ToolSupport/Errors.h"
#include "llvm/Support/Errno.h"

#include <fcntl.h>

using namespace kpack;
using namespace llvm;

Expected<tool::WholeFile> tool::readWhole(const std::string &Path) {
  UniqueFd File(::open(Path.c_str(), O_RDONLY | O_CLOEXEC));
  auto Failed = [&Path](std::error_code EC) {
    return objectError(Path, EC.message() + "; give a file that can be read");
  };
  std::optional<Readers> Who;
  if (File)
    Who = Readers::of(File.get());
  if (!Who)
    return Failed(errnoAsErrorCode());
  ErrorOr<std::unique_ptr<MemoryBuffer>> Bytes =
      MemoryBuffer::getOpenFile(File.get(), Path, /*FileSize=*/-1,
                                /*RequiresNullTerminator=*/false);
  if (!Bytes)
    return Failed(Bytes.getError());
  return WholeFile{std::move(*Bytes), *Who};
}

std::optional<Readers> tool::getReaders(const ArchiveReader &Archive) {
  return Readers::of(Archive.descriptor());
}
