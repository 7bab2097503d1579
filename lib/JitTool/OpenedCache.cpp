//===- OpenedCache.cpp - cache that a command line selects ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --cache-dir= selects the directory, else --name= (which overrides
// ..._CACHE_DIR, since it names a cache), else the environment. A cache is
// missing only if the system reports that there is no such file; for one
// without access Store::open() gives the reason.
//
// Other processes use the cache meanwhile. An entry that disappears between the
// listing and its description is skipped silently. One that exists and cannot
// be described becomes a row with a defect, so that a user sees it. bytesOf()
// reads through the open file of the entry and not by its name, which may have
// got another file by then.
//
//===----------------------------------------------------------------------===//
#include "OpenedCache.h"

#include "Jit/Bundle/Bundle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;
using namespace llvm::opt;

Place jittool::placeOf(const CacheInvocation &I) {
  const FrontDoor &Door = I.Door;
  if (const Arg *A = I.Args.getLastArg(OPT_cache_dir_EQ))
    return {absolutePath(A->getValue()), "--cache-dir", true};
  const Arg *Named = I.Args.getLastArg(OPT_name_EQ);
  if (!Named && !Door.CacheDir.empty())
    return {Door.CacheDir, Door.variable("CACHE_DIR"), true};
  std::string Name = Named ? Named->getValue() : Door.Name;
  return {Door.CacheHome.empty()
              ? ""
              : Door.CacheHome + "/" + (Name.empty() ? Door.DefaultName : Name),
          "XDG_CACHE_HOME or HOME", false};
}

/// Returns true if there is no file, as opposed to no access.
static bool isMissing(const Twine &Path) {
  std::error_code Code = sys::fs::access(Path, sys::fs::AccessMode::Exist);
  return Code == std::errc::no_such_file_or_directory ||
         Code == std::errc::not_a_directory;
}

std::optional<OpenedCache> OpenedCache::open(CacheInvocation &I, Access Mode) {
  OpenedCache C;
  C.Where = placeOf(I);
  const std::string &Directory = C.Where.Directory;
  if (Directory.empty()) {
    I.S.error("command line: no cache: neither " +
              I.Door.variable("CACHE_DIR") +
              " nor a home is set; name it with --cache-dir=");
    return std::nullopt;
  }
  if (Mode == Access::WouldCreate && isMissing(Directory + "/objects"))
    return C;
  if (Mode == Access::Read || Mode == Access::Write) {
    if (isMissing(Directory) && C.Where.IsNamed) {
      I.S.error(Directory + ": no such folder, " + C.Where.ChosenBy +
                " names it; name a cache");
      return std::nullopt;
    }
    if (isMissing(Directory + "/objects")) {
      I.S.note(Directory + ": there is no cache yet");
      return C;
    }
  }
  Result<std::unique_ptr<jit::Store>> Opened = jit::Store::open(
      {Directory, Mode == Access::Read || Mode == Access::WouldCreate});
  if (!Opened) {
    I.S.error(Opened.status());
    return std::nullopt;
  }
  C.Cache = std::move(*Opened);
  return C;
}

bool jittool::isBefore(const Row &A, const Row &B) {
  return std::tie(A.Info.Name, A.Info.Target, A.Item.Id) <
         std::tie(B.Info.Name, B.Info.Target, B.Item.Id);
}

std::vector<Row> OpenedCache::rows(Filter &F, bool Whole) const {
  std::vector<Row> Rows;
  if (!Cache)
    return Rows;
  for (const jit::StoreItem &Item : Cache->list()) {
    Row R;
    R.Item = Item;
    Result<jit::StoredEntry> Entry = Cache->describe(Item.Id);
    if (Entry)
      R.Info = std::move(Entry->Info);
    else if (Entry.status().code() == StatusCode::FileNotFound)
      continue; // removed meanwhile
    else
      R.Defect = Entry.status().message();
    if (!F.matches(Item, R.Info))
      continue;
    if (!Whole) {
      R.Info.Key.Fields = {};
      R.Info.Log = {};
    }
    Rows.push_back(std::move(R));
  }
  sort(Rows, isBefore);
  return Rows;
}

std::string jittool::shortKey(const jit::Digest &Id) {
  return jit::toHex(Id).substr(0, 12);
}

Result<Buffer> jittool::bytesOf(const FrontDoor &Door,
                                const jit::StoredEntry &Entry) {
  return jit::getFile(Entry, Door.quoted("verify"));
}
