//===- VerifyEntries.cpp - checks of an archive's entries -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small valid archive may expand a lot: a few bytes to gigabytes, and one
// code object to thousands of entries. So entries are grouped by ordinal, and
// each ordinal is read once, by its first entry with a hash. Other entries only
// have to agree with it. Used by VerifyArchive.cpp and VerifyBinary.cpp.
//
//===----------------------------------------------------------------------===//
#include "Archive/LimitedRead.h"
#include "Tool/ArchiveEntries.h"
#include "Tool/Verify/Verify.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

namespace {

/// An entry, and the list for its problems.
struct Item {
  const ArchiveEntry *Entry;
  std::vector<std::string> *Problems;
};

} // namespace

/// Checks \p Items, the entries of one ordinal; if any has a hash, the first
/// one has.
static void verifyOrdinal(const ArchiveReader &Archive, ArrayRef<Item> Items,
                          uint64_t UnpackedAlways) {
  const ArchiveEntry &First = *Items.front().Entry;
  Result<Buffer> Content = readLimitedAndVerify(Archive, First, UnpackedAlways);
  if (!Content)
    Items.front().Problems->push_back(Content.status().message());
  // Problems of the code object by target id.
  std::map<std::string_view, std::vector<std::string>> ByArch;
  for (const Item &I : Items) {
    if (I.Entry != &First)
      if (Status S = Archive.verifyShared(*I.Entry, First); !S.ok()) {
        I.Problems->push_back(S.message());
        continue;
      }
    if (!Content)
      continue;
    auto [It, IsNew] = ByArch.try_emplace(I.Entry->Arch);
    if (IsNew)
      It->second = checkCodeObject(Content->bytes(), StringRef(I.Entry->Arch));
    for (const std::string &Problem : It->second)
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
  // Keep the order of Found's elements otherwise.
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
