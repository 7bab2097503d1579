//===- Push.cpp - ck-jit cache push: upload of entries --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uploads entries that the remote cache lacks: programs upload an entry only
// when they compile it, and the server may have been down or not configured
// then. A user runs this and waits, so it ignores the pauses of programs. Each
// entry is verified before the upload. See also Transfer.cpp.
//
//===----------------------------------------------------------------------===//
#include "OpenedCache.h"
#include "Units.h"

#include "llvm/ADT/STLExtras.h"

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;

namespace {
class Push {
public:
  Push(CacheInvocation &I, const jit::Store &Source, jit::RemoteTier &Target)
      : I(I), From(Source), To(Target), IsDry(I.Args.hasArg(OPT_dry_run)),
        Force(I.Args.hasArg(OPT_force)) {}

  /// Returns false if the server does not answer or refuses writes.
  bool take(const Row &R);
  void print(const std::string &Directory) const;

private:
  bool fail(const Status &Why) {
    I.S.error(Why);
    return false;
  }

  CacheInvocation &I;
  const jit::Store &From;
  jit::RemoteTier &To;
  const bool IsDry, Force;
  std::vector<Row> Pushed;
  uint64_t Bytes = 0, AlreadyThere = 0;
};
} // namespace

bool Push::take(const Row &R) {
  if (!Force) {
    Result<bool> Has = To.has(R.Item.Id);
    if (!Has)
      return fail(Has.status());
    if (*Has) {
      ++AlreadyThere;
      return true;
    }
  }
  std::string Defect;
  std::optional<jit::StoredEntry> Entry = From.find(R.Item.Id, &Defect);
  if (!Entry) {
    if (!Defect.empty()) // otherwise it was removed meanwhile
      I.S.error(Defect + "; run " + I.Door.quoted("verify") +
                ", which moves it away");
    return true;
  }
  if (!IsDry) {
    Result<Buffer> File = bytesOf(I.Door, *Entry);
    if (!File)
      return fail(File.status());
    Status Done = To.upload(R.Item.Id, std::string(File->bytes()));
    if (!Done.ok()) {
      I.S.error(Done);
      // A large entry does not affect the others.
      return Done.code() == StatusCode::InvalidArgument;
    }
  }
  Pushed.push_back(R);
  Bytes += R.Item.FileSize;
  return true;
}

void Push::print(const std::string &Directory) const {
  if (!I.json()) {
    I.S.out() << (IsDry ? "would push " : "pushed ")
              << showCount(Pushed.size(), "entry", "entries") << ", "
              << showSize(Bytes) << ", to " << printable(To.name());
    if (AlreadyThere)
      I.S.out() << "; " << AlreadyThere << " were there already";
    I.S.out() << '\n';
    return;
  }
  I.printJson("push", Directory, [&](json::OStream &J) {
    J.attribute("remote", jsonText(To.name()));
    J.attribute("dry_run", IsDry);
    J.attribute("pushed_bytes", Bytes);
    J.attribute("already_there", AlreadyThere);
    J.attributeArray("pushed", [&] {
      for (const Row &R : Pushed)
        J.object([&] {
          J.attribute("key", jit::toHex(R.Item.Id));
          J.attribute("name", jsonText(R.Info.Name));
          J.attribute("kind", jsonText(R.Info.Kind));
          J.attribute("target", jsonText(R.Info.Target));
          J.attribute("size", R.Item.FileSize);
        });
    });
  });
}

/// Returns the entries to upload, in the order of tables.
static std::vector<Row> rowsToPush(const CacheInvocation &I,
                                   const OpenedCache &C, Filter &F) {
  std::vector<Row> Rows = C.rows(F);
  F.reportUnused(I);
  erase_if(Rows, [](const Row &R) {
    return !R.Defect.empty() || !jit::RemoteTier::takes(R.Info.Kind);
  });
  return Rows;
}

static void runPush(CacheInvocation &I) {
  Expected<Filter> F = Filter::create(I, I.operands());
  if (!F)
    return I.S.error(F.takeError());
  for (const std::string &Kind : I.Args.getAllArgValues(OPT_kind_EQ))
    if (!jit::RemoteTier::takes(Kind))
      return I.S.error("--kind=" + Kind +
                       ": stays on this machine; push shared objects, they "
                       "are found without");
  std::optional<OpenedCache> C =
      OpenedCache::open(I, OpenedCache::Access::Read);
  if (!C)
    return;
  const std::string &Directory = C->place().Directory;
  Result<std::shared_ptr<jit::RemoteTier>> Remote =
      I.Door.openRemote(Directory);
  if (!Remote)
    return I.S.error(Remote.status());
  if (!*Remote)
    return I.S.error(I.Door.variable("REMOTE") +
                     ": not set; give the address of the remote "
                     "cache in it");
  if ((*Remote)->mode() == jit::RemoteMode::Read)
    return I.S.error((*Remote)->name() + ": is only read from; set " +
                     I.Door.variable("REMOTE_MODE") + "=sync");
  std::vector<Row> Rows;
  if (C->store())
    Rows = rowsToPush(I, *C, *F);
  if (I.S.exitCode())
    return;
  if (Rows.empty())
    return I.S.error(Directory + ": no entry to push; see " +
                     I.Door.quoted("list"));
  Push All(I, *C->store(), **Remote);
  for (const Row &R : Rows)
    if (!All.take(R))
      break;
  All.print(Directory);
}

const CacheVerb jittool::PushVerb = {
    {"push", "[<entry>...]", "upload what the remote cache lacks",
     "upload what the remote cache (CK_JIT_REMOTE) lacks: what was compiled "
     "before it was\nset up, or while it was away\n\n"
     "Without entries (names, globs, first digits of keys): all shared and "
     "code "
     "objects. Each\nis verified, signed where CK_JIT_REMOTE_KEY_FILE is set, "
     "and waited for. What the\nserver has is asked by key, and not looked at.",
     "  $ CK_JIT_REMOTE=redis://10.0.0.5/0 ck-jit cache push\n"
     "  $ ck-jit cache push --dry-run --target=gfx942 'fmha_fwd_*'\n",
     PushOption},
    runPush};
