//===- archive-fuzzer.cpp - fuzzer of the archive reader ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libFuzzer over the archive reader: open, look up, check, read each entry into
// the caller's memory and into the reader's own. Seeds: test/Archive/Inputs.
//
//===----------------------------------------------------------------------===//

#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Archive/detail/ContentHash.h"

using namespace kpack;

/// Bytes that are handed out are those of the entry's hash.
static void checkHash(const ArchiveEntry &Entry, std::string_view Bytes) {
  detail::ContentHash Hash = detail::contentHash(Bytes);
  if (!Entry.Hash.empty() &&
      Entry.Hash != std::string_view(Hash.data(), Hash.size()))
    __builtin_trap();
}

/// What a C API does: ask whether the size is plausible, allocate, read.
static void readIntoOwnMemory(const ArchiveReader &Reader,
                              const ArchiveEntry &Entry) {
  constexpr uint64_t Bearable = uint64_t(16) << 20;
  if (!Reader.checkEntry(Entry).ok() || Entry.OriginalSize > Bearable)
    return;
  std::vector<char> Out(Entry.OriginalSize);
  (void)Reader.readInto(Entry, Out.data(), Out.size()).ok();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string_view Bytes(reinterpret_cast<const char *>(Data), Size);
  auto Reader = ArchiveReader::fromMemory(Bytes, "input");
  if (!Reader)
    return 0;
  (void)(*Reader)->archiveId("lib.so");
  for (const ArchiveEntry &Entry : (*Reader)->entries()) {
    if ((*Reader)->find(Entry.Binary, Entry.Arch) != &Entry)
      __builtin_trap();
    Result<std::string_view> View = (*Reader)->view(Entry);
    if (View.ok())
      checkHash(Entry, *View);
    (void)(*Reader)->storedSize(Entry).ok();
    readIntoOwnMemory(**Reader, Entry);
    Result<Buffer> Content = (*Reader)->read(Entry);
    if (Content.ok() && Content->size() != Entry.OriginalSize)
      __builtin_trap();
    if (Content.ok())
      checkHash(Entry, Content->bytes());
    (void)(*Reader)->readVerified(Entry).ok();
    (void)(*Reader)->verifyShared(Entry, (*Reader)->entries()[0]).ok();
  }
  return 0;
}
