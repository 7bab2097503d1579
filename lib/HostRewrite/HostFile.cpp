//===- HostFile.cpp - interface to ELF and Windows files ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first bytes determine the format. The ELF reader also takes files of
// unknown formats, as it has the error messages for them.
//
//===----------------------------------------------------------------------===//
#include "HostFile.h"

#include "Offload/HipSymbols.h"
#include "Offload/PeImage.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kpack::hostrewrite {

HostFile::~HostFile() = default;

Expected<std::unique_ptr<HostFile>> HostFile::open(StringRef Bytes,
                                                   StringRef Name) {
  return offload::PeImage::startsOne(Bytes) ? openPe(Bytes, Name)
                                            : openElf(Bytes, Name);
}

/// Either all wrappers are fat, or none.
Expected<InputKind> kindByWrappers(ArrayRef<offload::Wrapper> Wrappers,
                                   StringRef Name) {
  auto IsHostOnly = [](const offload::Wrapper &W) {
    return W.Magic == offload::WrapperMagicKpack;
  };
  if (Wrappers.empty())
    return InputKind::NoDeviceCode;
  if (all_of(Wrappers, IsHostOnly))
    return InputKind::HostOnly;
  for (const auto &[I, W] : enumerate(Wrappers)) {
    if (IsHostOnly(W))
      return objectError(Name, "wrapper " + Twine(I) +
                                   " was converted already, and others were "
                                   "not; convert the file as its linker has "
                                   "left it");
    if (W.Magic != offload::WrapperMagicFat ||
        W.Version != offload::WrapperVersion)
      return objectError(Name, "the wrapper at offset 0x" +
                                   Twine::utohexstr(W.FileOffset) +
                                   " is of no known kind; build it with a "
                                   "known compiler");
  }
  return InputKind::Fat;
}

} // namespace kpack::hostrewrite
