//===- BlobFinder.cpp - compile request of a called kernel ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A manifest file is read once; after a failure it is tried again. The lock is
// held meanwhile: a fork() waits for one file at most.
//
//===----------------------------------------------------------------------===//
#include "BlobFinder.h"

#include "Jit/Executor/InstalledPrograms.h"
#include "Jit/Service/CompilePlan.h"
#include "Jit/Service/Toolchain.h"
#include "Support/SecureMode.h"
#include "Support/Texts.h"

#include <algorithm>
#include <cstring>

using namespace kpack;
using namespace kpack::ckjit;

static const ck_jit_blob *findBlob(const ck_jit_manifest &Manifest,
                                   const char *Stem) {
  const ck_jit_blob *End = Manifest.blobs + Manifest.blob_count;
  const ck_jit_blob *Found = std::lower_bound(
      Manifest.blobs, End, Stem, [](const ck_jit_blob &B, const char *Name) {
        return std::strcmp(B.stem, Name) < 0;
      });
  return Found != End && std::strcmp(Found->stem, Stem) == 0 ? Found : nullptr;
}

static std::vector<std::string> toList(const char *const *Texts) {
  std::vector<std::string> List;
  for (; Texts && *Texts; ++Texts)
    List.emplace_back(*Texts);
  return List;
}

static std::string orEmpty(const char *Text) { return Text ? Text : ""; }

/// Returns one target that serves all GPUs: a slot has one function, whose code
/// object must work on any current GPU.
Result<std::string>
BlobFinder::target(const std::vector<std::string> &BuiltFor) {
  std::vector<std::string> Wanted;
  if (!Config.Target.empty()) {
    Wanted.push_back(Config.Target);
  } else {
    Devices.connect();
    for (const runtime::Device &Kind : Devices.devices())
      if (!Kind.empty())
        Wanted.push_back(Kind.front());
    if (Wanted.empty() && BuiltFor.size() == 1)
      return BuiltFor[0];
  }
  if (Wanted.empty())
    return Status(
        StatusCode::ArchNotFound,
        "no GPU was found to compile for (the build names: " +
            joined(BuiltFor) + "); " +
            makeAdvice("set CK_JIT_TARGET",
                       "call ck_jit_set_target() before the first kernel"));
  std::string Chosen;
  for (const std::string &Device : Wanted) {
    Result<std::string> Target = jit::chooseTarget(BuiltFor, Device);
    if (!Target)
      return Target;
    if (!Chosen.empty() && *Target != Chosen)
      return Status(
          StatusCode::ArchNotFound,
          "there are GPUs of several kinds (" + joined(Wanted) +
              ") that no one target of the build serves; hide all but one "
              "kind (ROCR_VISIBLE_DEVICES) or " +
              makeAdvice("set CK_JIT_TARGET",
                         "call ck_jit_set_target() before the first kernel"));
    Chosen = std::move(*Target);
  }
  return Chosen;
}

Result<jit::CompileRequest> BlobFinder::request(const ck_jit_manifest &Manifest,
                                                const FoundBlob &Blob) {
  RequestContext Context;
  Context.Root = getRoot(Config, Manifest);
  Context.LinkFlags = Blob.File && Blob.File->LinkFlags
                          ? *Blob.File->LinkFlags
                          : toList(Manifest.link_flags);
  std::string Wanted = Config.Compiler;
  if (Wanted.empty() && Blob.File)
    Wanted = Blob.File->Compiler;
  if (Wanted.empty())
    Wanted = orEmpty(Manifest.compiler);
  Result<std::string> Compiler = findCompiler(Config, Wanted);
  if (!Compiler)
    return Compiler.status();
  Context.Compiler = std::move(*Compiler);
  Result<BlobRequest> R = makeRequest(Blob.Record, Context);
  if (!R)
    return Status(StatusCode::PathDiscoveryFailed, R.status().message());
  R->Compile.Pch = Config.Pch;
  if (R->Compile.Lang == jit::Language::Hip) {
    Result<std::string> Target = target(R->BuiltFor);
    if (!Target)
      return Target.status();
    R->Compile.Target = std::move(*Target);
  }
  return std::move(R->Compile);
}

static Status noBlob(const std::string &Why) {
  return Status(StatusCode::InvalidMetadata, Why);
}

Result<FoundBlob> BlobFinder::find(const ck_jit_slot &Slot) {
  if (!Slot.manifest || Slot.manifest->abi < 1)
    return noBlob("the library was built for another version of libckjit; "
                  "build it again");
  if (Slot.manifest->abi > CK_JIT_ABI)
    return noBlob("the library was built for a newer libckjit; install a newer "
                  "libckjit");
  if (const ck_jit_blob *Found = findBlob(*Slot.manifest, Slot.blob))
    return FoundBlob{{Found->stem,
                      Found->source,
                      orEmpty(Found->directory),
                      toList(Found->flags),
                      {}},
                     nullptr};
  std::string Path = findManifestFile(*Slot.manifest);
  std::lock_guard<std::mutex> Guard(Lock);
  std::unique_ptr<BlobManifest> &File = Files[Path];
  if (!File) {
    Result<BlobManifest> Read = BlobManifest::read(Path);
    if (!Read)
      return noBlob("no such blob in the library's manifest, and " +
                    Read.status().message());
    File = std::make_unique<BlobManifest>(std::move(*Read));
  }
  if (const BlobRecord *Found = File->find(Slot.blob))
    return FoundBlob{*Found, File.get()};
  return noBlob("no such blob in the library's manifest, nor in " + Path +
                "; build the library again");
}

std::string
BlobFinder::findManifestFile(const ck_jit_manifest &Manifest) const {
  return !Config.Manifest.empty()
             ? Config.Manifest
             : getRoot(Config, Manifest) + "/ck_jit_manifest.json";
}

std::string
BlobFinder::prebuildCommand(const ck_jit_slot &Slot, const FoundBlob &Blob,
                            const jit::CompileRequest &Wanted) const {
  std::vector<std::string> Command{getTool(), "prebuild", "build"};
  if (isSecureMode()) // the search path of this process's compiler
    Command.insert(Command.begin(), {"env", "PATH=" KPACK_SECURE_PATH});
  if (Blob.File) {
    Command.push_back("--manifest=" + findManifestFile(*Slot.manifest));
    if (!Blob.File->LinkFlags)
      for (const std::string &Flag : toList(Slot.manifest->link_flags))
        Command.push_back("--link-flag=" + Flag);
  } else {
    Command.push_back("--library=" + jit::getFile(Slot.manifest));
  }
  Command.push_back("--root=" + getRoot(Config, *Slot.manifest));
  Command.push_back("--cache-dir=" + getCacheDir(Config, *Slot.manifest));
  Command.push_back("--compiler=" + Wanted.Compiler);
  if (!Wanted.Target.empty())
    Command.push_back("--target=" + Wanted.Target);
  if (isSecureMode()) // users other than its owner read it
    Command.push_back("--mode=0755");
  Command.push_back(Slot.blob);
  return jit::shellQuoted(Command);
}
