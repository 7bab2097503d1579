//===- HostCheck.cpp - validity of programs and libraries -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HostCheck.h. A binary without section headers is checked by its program
// headers alone; tools that have section headers find wrappers through those.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/HostCheck.h"

#include "Offload/HipSymbols.h"
#include "Offload/PeImage.h"
#include "Offload/Wrappers.h"
#include "ToolSupport/ElfFile.h"

#include <utility>

using namespace llvm;

namespace kpack::hostrewrite {

static bool hasSections(StringRef Bytes) {
  if (offload::PeImage::startsOne(Bytes))
    return true;
  Expected<ElfFile> File = ElfFile::create(Bytes);
  if (!File)
    return consumeError(File.takeError()), false;
  return File->getHeader().e_shoff != 0;
}

/// Returns address and pointer of each wrapper that leads to a marker. Fat
/// wrappers are not compared: without section headers they may be anywhere.
template <typename List> static auto findMarked(const List &Wrappers) {
  std::vector<std::pair<uint64_t, uint64_t>> Marked;
  for (const auto &W : Wrappers)
    if (W.Magic == offload::WrapperMagicKpack)
      Marked.push_back({W.Address, W.Pointer});
  return Marked;
}

/// Returns the difference, or nothing if section headers lead to the same.
static std::string differenceBySections(StringRef Bytes, StringRef Name,
                                        const VerifiedHost &Host) {
  Expected<offload::LinkedBinary> Linked =
      offload::readLinkedBinary(MemoryBufferRef(Bytes, Name), Name);
  if (!Linked)
    return toString(Linked.takeError());
  if (findMarked(Linked->Wrappers) != findMarked(Host.Wrappers))
    return (Name + ": its wrappers are others by its section headers than for "
                   "a loader; link or convert it again")
        .str();
  return "";
}

std::vector<std::string> hostProblems(StringRef Bytes, StringRef Name,
                                      VerifiedHost Host) {
  // If a loader fails on the file, readers of sections may fail too.
  if (Host.Problems.empty() && hasSections(Bytes))
    if (std::string Why = differenceBySections(Bytes, Name, Host); !Why.empty())
      Host.Problems.push_back(std::move(Why));
  return std::move(Host.Problems);
}

} // namespace kpack::hostrewrite
