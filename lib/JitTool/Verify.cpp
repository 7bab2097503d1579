//===- Verify.cpp - ck-jit cache verify: check of entries -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads every entry as a program that uses it would. The first look is through
// a read-only store, so that verifying does not count as use; a bad entry is
// then read through one that quarantines it.
//
//===----------------------------------------------------------------------===//
#include "OpenedCache.h"
#include "Units.h"

#include <fcntl.h>
#include <sys/stat.h>

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;

namespace {
struct Bad {
  std::string Key;
  std::string Reason;
  bool Quarantined;
};
struct Report {
  uint64_t Good = 0;
  uint64_t OtherVersions = 0;
  std::vector<Bad> BadEntries;
};
} // namespace

static bool isThere(const jit::Store &S, const jit::Digest &Id) {
  struct stat Info;
  return ::fstatat(S.descriptor(), jit::Store::pathOf(Id).c_str(), &Info,
                   AT_SYMLINK_NOFOLLOW) == 0;
}

/// \p Mover is null in a dry run.
static Report verify(const jit::Store &Reader, const jit::Store *Mover) {
  Report R;
  for (const jit::StoreItem &Item : Reader.list()) {
    std::string Defect;
    if (Reader.find(Item.Id, &Defect)) {
      ++R.Good;
      continue;
    }
    if (Defect.empty()) { // removed meanwhile, or of another version
      R.OtherVersions += isThere(Reader, Item.Id);
      continue;
    }
    if (Mover && Mover->find(Item.Id)) {
      ++R.Good; // replaced meanwhile
      continue;
    }
    R.BadEntries.push_back(
        {jit::toHex(Item.Id), Defect, Mover && !isThere(*Mover, Item.Id)});
  }
  return R;
}

static void printJson(const CacheInvocation &I, const OpenedCache &C,
                      const Report &R) {
  I.printJson("verify", C.place().Directory, [&](json::OStream &J) {
    J.attribute("good", R.Good);
    J.attribute("other_versions", R.OtherVersions);
    J.attributeArray("bad", [&] {
      for (const Bad &B : R.BadEntries)
        J.object([&] {
          J.attribute("key", B.Key);
          J.attribute("reason", jsonText(B.Reason));
          J.attribute("quarantined", B.Quarantined);
        });
    });
  });
}

static void runVerify(CacheInvocation &I) {
  if (!I.operands().empty())
    return I.S.error(I.operands().front() +
                     ": verify takes no operand; it reads every entry");
  bool DryRun = I.Args.hasArg(OPT_dry_run);
  std::optional<OpenedCache> Reader =
      OpenedCache::open(I, OpenedCache::Access::Read);
  if (!Reader)
    return;
  Report R;
  if (Reader->store()) {
    // A read-only cache can be verified, too.
    std::unique_ptr<jit::Store> Mover;
    if (!DryRun)
      if (auto Opened = jit::Store::open({Reader->place().Directory}))
        Mover = std::move(*Opened);
    R = verify(*Reader->store(), Mover.get());
  }
  for (const Bad &B : R.BadEntries)
    I.S.error(B.Reason +
              (B.Quarantined ? "; moved to 'quarantine', it is compiled again "
                               "when it is needed"
               : DryRun      ? "; run it without --dry-run to move it away"
                             : "; remove the file"));
  if (I.json())
    return printJson(I, *Reader, R);
  I.S.out() << showCount(R.Good, "good entry", "good entries") << ", "
            << R.BadEntries.size() << " bad";
  if (R.OtherVersions)
    I.S.out() << ", " << R.OtherVersions << " of another version of kpack";
  I.S.out() << '\n';
}

const CacheVerb jittool::VerifyVerb = {
    {"verify", "", "read and check every entry",
     "read and check every entry; bad ones are moved to the folder "
     "'quarantine' and are\ncompiled again when they are needed\n\n"
     "Exit status 1 if any was bad. Entries that another version of kpack "
     "wrote "
     "in another\nlayout are counted and left alone.",
     "  $ ck-jit cache verify\n"
     "  $ ck-jit cache verify --dry-run --json | jq '.bad[].key'\n",
     VerifyOption},
    runVerify};
