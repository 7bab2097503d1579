//===- CacheLayers.cpp - cache directories in search order ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A system directory that is not installed is no error. One that exists and is
// unusable is reported with the first kernel that it might have. An entry with
// the right key that does not fit is quarantined if the layer is writable, so
// that the next process does not find it.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/CacheLayers.h"

#include "Jit/Executor/Load.h"
#include "Support/ErrorText.h"
#include "Support/Files.h"
#include "Support/SealedFile.h"
#include "Support/SecureMode.h"

#include <cerrno>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

void CacheLayers::openSystem(const CacheOptions &Options) {
  for (const std::string &Directory : Options.SystemDirectories) {
    auto Opened =
        Store::open({Directory, /*ReadOnly=*/true, Options.SystemOwners});
    if (Opened.ok())
      Layers.push_back(std::move(*Opened));
    else if (::access(Directory.c_str(), F_OK) == 0 || errno == EACCES)
      Unused.push_back(Opened.status().message());
  }
}

Status CacheLayers::open(const CacheOptions &Options) {
  if (Options.Mode == CacheMode::Off)
    return Status::success();
  openSystem(Options);
  bool ReadOnly = Options.Mode != CacheMode::ReadWrite || isSecureMode();
  auto Opened = Store::open(
      {Options.Directory, ReadOnly, Options.SystemOwners, Options.Limits});
  if (!Opened.ok()) {
    WhyNotKept = Opened.status().message();
    // A missing directory counts as empty; every miss reports that.
    bool IsThere = ::access(Options.Directory.c_str(), F_OK) == 0;
    return Options.Mode == CacheMode::Strict && Layers.empty() && IsThere
               ? Opened.status()
               : Status::success();
  }
  Layers.push_back(std::move(*Opened));
  Own = Layers.back().get();
  if (!ReadOnly)
    User = Own;
  return Status::success();
}

bool jit::accepts(const CacheRequest &Request, const StoredEntry &Entry) {
  return !Request.Accept || Request.Accept(Entry);
}

/// Returns the reason why a verified entry with the right key does not fit
/// \p Request, or empty.
static std::string whyNot(const StoredEntry &Entry,
                          const CacheRequest &Request) {
  if (Entry.Info.Kind != Request.Kind)
    return "is a '" + Entry.Info.Kind + "', not a '" + Request.Kind + "'";
  if (Entry.Info.Target != Request.Target)
    return "made for '" + Entry.Info.Target + "', not '" + Request.Target + "'";
  if (Entry.Info.Kind == "shared-object" && isForeignObject(Entry))
    return "made for machines of another kind";
  return {};
}

std::optional<StoredEntry> CacheLayers::find(const CacheRequest &Request,
                                             const Report &Tell) {
  if (!IsUnusedTold.exchange(true))
    for (const std::string &Why : Unused)
      Tell(CacheEvent::Kind::Layer, Why + "; it is not used");
  for (const std::unique_ptr<Store> &Layer : Layers) {
    std::string Defect;
    bool WasUnreadable = Layer->hasUnreadable();
    if (auto Entry = Layer->find(Request.Key.Id, &Defect)) {
      Defect = whyNot(*Entry, Request);
      if (Defect.empty()) {
        if (accepts(Request, *Entry))
          return Entry;
        continue;
      }
      Layer->reject(*Entry, Defect);
      Defect = Entry->Path + ": " + Defect;
    }
    if (!Defect.empty() && !WasUnreadable && Layer->hasUnreadable())
      Tell(CacheEvent::Kind::Layer, Defect + "; it is not used");
    else if (!Defect.empty())
      Tell(CacheEvent::Kind::Quarantined,
           Defect + "; it is not used and compiled again");
  }
  return std::nullopt;
}

std::optional<StoredEntry>
CacheLayers::findNew(const CacheRequest &Request) const {
  auto Found = User->find(Request.Key.Id);
  if (Found && whyNot(*Found, Request).empty() && accepts(Request, *Found))
    return Found;
  return std::nullopt;
}

std::vector<const Store *> CacheLayers::all() const {
  std::vector<const Store *> All;
  for (const std::unique_ptr<Store> &Layer : Layers)
    All.push_back(Layer.get());
  return All;
}

Result<StoredEntry> jit::entryInMemory(const EntryInfo &Info,
                                       std::string_view Payload) {
  UniqueFd File = memoryFile("kpack-jit:" + Info.Name);
  if (!File || !writeAll(File.get(), Payload))
    return Status(StatusCode::OutOfMemory,
                  Info.Name + ": what was compiled cannot be kept in memory: " +
                      errorText(errno));
  sealFile(File.get());
  StoredEntry Entry;
  Entry.Info = Info;
  Entry.PayloadSize = Entry.FileSize = Payload.size();
  Entry.File = std::move(File);
  return Entry;
}

Result<StoredEntry> CacheLayers::publish(const EntryInfo &Info,
                                         std::string_view Payload) {
  if (Status Published = User->publish(Info, Payload); !Published.ok())
    return Published;
  User->pruneSometimes(Info.Key.Id);
  std::string Defect;
  if (auto Entry = User->find(Info.Key.Id, &Defect))
    return std::move(*Entry);
  if (Defect.empty())
    return Status(StatusCode::IoError,
                  User->directory() + ": " + Info.Name +
                      " was removed again at once; it may be larger than all "
                      "that the cache may hold: raise the cache's limit");
  return Status(StatusCode::IoError,
                Info.Name + ": was written and cannot be read back: " + Defect);
}

Result<StoredEntry> CacheLayers::keep(const EntryInfo &Info,
                                      std::string_view Payload,
                                      const Report &Tell) {
  std::string Why = WhyNotKept;
  if (User) {
    Result<StoredEntry> Kept = publish(Info, Payload);
    if (Kept.ok())
      return Kept;
    Why = Kept.status().message();
  }
  if (!Why.empty())
    Tell(CacheEvent::Kind::NotKept, Why);
  return entryInMemory(Info, Payload);
}
