//===- LinkerCache.cpp - reader of /etc/ld.so.cache -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A header of 48 bytes, entries of 24, then strings, whose offsets count from
// the header. A table of an older format may precede it, so it is found by its
// magic.
//
//===----------------------------------------------------------------------===//
#include "Tool/Doctor/LinkerCache.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kpack::tool;
using namespace llvm;
using namespace llvm::support::endian;

static StringRef textAt(StringRef Table, uint64_t Offset) {
  return Table.substr(Offset).take_until([](char C) { return C == '\0'; });
}

LinkerCache LinkerCache::parse(StringRef Bytes) {
  constexpr uint64_t HeaderSize = 48, EntrySize = 24, CountAt = 20;
  LinkerCache Cache;
  size_t Begin = Bytes.find("glibc-ld.so.cache1.1");
  if (Begin == StringRef::npos)
    return Cache;
  StringRef Table = Bytes.substr(Begin);
  if (Table.size() < HeaderSize)
    return Cache;
  uint64_t Count = read32le(Table.data() + CountAt);
  Count = std::min<uint64_t>(Count, (Table.size() - HeaderSize) / EntrySize);
  for (uint64_t I = 0; I != Count; ++I) {
    const char *Entry = Table.data() + HeaderSize + I * EntrySize;
    StringRef Name = textAt(Table, read32le(Entry + 4)).take_front(4096);
    StringRef File = textAt(Table, read32le(Entry + 8)).take_front(4096);
    Cache.Files[Name].push_back(File.str());
  }
  return Cache;
}

LinkerCache LinkerCache::read(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return File ? parse((*File)->getBuffer()) : LinkerCache();
}

std::vector<std::string> LinkerCache::find(StringRef Name) const {
  auto It = Files.find(Name);
  return It == Files.end() ? std::vector<std::string>() : It->second;
}
