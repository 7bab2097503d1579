//===- VerifyEntries.cpp - check the code objects of an archive -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small archive may honestly stand for much: a few bytes for gigabytes, and
// one code object for thousands of entries. So entries are taken by ordinal,
// and each ordinal is read once: by the first of its entries that has a hash.
// The others can only agree with that one. Users: VerifyArchive.cpp and
// VerifyBinary.cpp.
//
//===----------------------------------------------------------------------===//
#include "Archive/LimitedRead.h"
#include "Tool/CodeObject.h"
#include "Tool/Verify/Verify.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

namespace {

/// An entry, and where its problems go.
struct Item {
  const ArchiveEntry *Entry;
  std::vector<std::string> *Problems;
};

} // namespace

/// Checks \p Items, which are those of one ordinal; the first one has a hash if
/// any has.
static void verifyOrdinal(const ArchiveReader &Archive, ArrayRef<Item> Items,
                          uint64_t UnpackedAlways) {
  const ArchiveEntry &First = *Items.front().Entry;
  Result<Buffer> Content = readLimitedAndVerify(Archive, First, UnpackedAlways);
  if (!Content)
    Items.front().Problems->push_back(Content.status().message());
  // What a target id finds wrong with the code object.
  std::map<std::string_view, std::vector<std::string>> ByArch;
  for (const Item &I : Items) {
    if (I.Entry != &First)
      if (Status S = Archive.verifyShared(*I.Entry, First); !S.ok()) {
        I.Problems->push_back(S.message());
        continue;
      }
    if (!Content)
      continue;
    auto [At, IsNew] = ByArch.try_emplace(I.Entry->Arch);
    if (IsNew)
      At->second = checkCodeObject(Content->bytes(), StringRef(I.Entry->Arch));
    for (const std::string &Problem : At->second)
      I.Problems->push_back(entryName(Archive, *I.Entry) + ": " + Problem);
  }
}

void tool::verifyEntries(const ArchiveReader &Archive,
                         const std::vector<const ArchiveEntry *> &Entries,
                         uint64_t UnpackedAlways,
                         std::vector<std::string> &Problems) {
  std::vector<std::vector<std::string>> Found(Entries.size());
  std::vector<Item> Items;
  for (const auto &[Entry, ItsProblems] : zip_equal(Entries, Found))
    Items.push_back({Entry, &ItsProblems});
  // Otherwise in their order, which is that of the elements of Found.
  auto Key = [](const Item &I) {
    return std::make_tuple(I.Entry->Ordinal, I.Entry->Hash.empty(), I.Problems);
  };
  sort(Items, [&](const Item &A, const Item &B) { return Key(A) < Key(B); });
  for (ArrayRef<Item> Rest = Items; !Rest.empty();) {
    ArrayRef<Item> Same = Rest.take_while([&](const Item &I) {
      return I.Entry->Ordinal == Rest.front().Entry->Ordinal;
    });
    verifyOrdinal(Archive, Same, UnpackedAlways);
    Rest = Rest.drop_front(Same.size());
  }
  for (std::vector<std::string> &ItsProblems : Found)
    append_range(Problems, ItsProblems);
}
