//===- FrontDoor.cpp - location and compiler of libckjit's cache ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Root and compiler are selected by the option, the variable of libckjit, and
// the manifest, in this order; the target by the option, the variable, and then
// the GPUs of this machine. The choices must equal those of the library: an
// entry that is prebuilt with another compiler or target has another key and is
// never found. With GPUs of several kinds the library searches one target that
// serves all of them; a command requires --target= instead.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Cache/Commands.h"

#include "CkJit/Runtime/BlobRequest.h"
#include "CkJit/Runtime/CacheMode.h"
#include "Jit/Service/Toolchain.h"
#include "JitTool/CacheTool.h"
#include "ToolSupport/CommandOptions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using jittool::CompileWords;

/// Returns the first non-empty choice.
static std::string getFirst(std::initializer_list<std::string> Choices) {
  for (const std::string &Choice : Choices)
    if (!Choice.empty())
      return Choice;
  return "";
}

namespace {

class CkJitDoor : public jittool::FrontDoor {
public:
  CkJitDoor();

  Result<std::shared_ptr<jit::RemoteTier>>
  openRemote(const std::string &Directory) const override {
    return ckjit::openRemote(Env.Remote, Directory);
  }
  Status makeReadable(const std::string &Directory, bool IsNamed,
                      const std::string &Mode) const override {
    return ckjit::makeReadable(Env, Directory, IsNamed, Mode);
  }
  Result<std::string> compiler(const CompileWords &W) const override {
    return compiler(W, "");
  }
  Result<std::string> checkSources(const CompileWords &W) const override;
  Result<jit::CompileRequest> request(const CompileWords &W) const override;

private:
  Result<std::string> compiler(const CompileWords &W,
                               const std::string &OfManifest) const {
    return findCompiler(Env, getFirst({W.Compiler, Env.Compiler, OfManifest}));
  }
  std::string root(const CompileWords &W, const BlobManifest &Manifest,
                   const std::string &ManifestPath) const;
  Result<std::string> target(const CompileWords &W,
                             const std::vector<std::string> &BuiltFor) const;
  Result<jit::CompileRequest> request(const CompileWords &W,
                                      const BlobRecord &Blob,
                                      const BlobManifest &Manifest,
                                      const std::string &Root) const;

  const Settings Env = Settings::fromEnvironment();
};

} // namespace

CkJitDoor::CkJitDoor() {
  Program = "ck-jit";
  Library = "libckjit";
  Variables = "CK_JIT_";
  DefaultName = "ck_jit";
  Filler = "ck-jit prebuild build";
  CacheDir = Env.CacheDir;
  Name = Env.Name;
  CacheHome = Env.CacheHome;
  Target = Env.Target;
  Helper = findHelper(Env);
  SystemDirs = Env.SystemDirs;
  SystemOwners = Env.SystemOwners;
}

/// Returns the root of the manifest's relative sources.
std::string CkJitDoor::root(const CompileWords &W, const BlobManifest &Manifest,
                            const std::string &ManifestPath) const {
  if (!W.Root.empty())
    return absolutePath(W.Root);
  SmallString<256> Root(getFirst({Env.Root, Manifest.Root}));
  if (!sys::path::is_absolute(Root)) {
    SmallString<256> Folder(absolutePath(ManifestPath));
    sys::path::remove_filename(Folder);
    sys::path::append(Folder, Root);
    Root = Folder;
  }
  sys::path::remove_dots(Root, /*remove_dot_dot=*/false);
  return std::string(Root);
}

/// Selects the target as lib/CkJit/Runtime/Resolver.cpp does.
Result<std::string>
CkJitDoor::target(const CompileWords &W,
                  const std::vector<std::string> &BuiltFor) const {
  std::string Wanted = getFirst({W.Target, Env.Target});
  if (!Wanted.empty())
    return jit::chooseTarget(BuiltFor, Wanted);
  std::vector<runtime::Device> Devices = jittool::devicesOfThisMachine();
  if (Devices.empty() && BuiltFor.size() == 1)
    return BuiltFor.front();
  if (Devices.size() != 1 || Devices.front().empty())
    return Status(StatusCode::ArchNotFound,
                  Devices.empty()
                      ? "no GPU was found to compile for; name one with "
                        "--target="
                      : "there are GPUs of several kinds; name one with "
                        "--target=");
  return jit::chooseTarget(BuiltFor, Devices.front().front());
}

Result<std::string> CkJitDoor::checkSources(const CompileWords &W) const {
  std::string Path = getFirst({W.Manifest, Env.Manifest});
  if (Path.empty() && !Env.Root.empty() &&
      sys::fs::exists(Env.Root + "/ck_jit_manifest.json"))
    Path = Env.Root + "/ck_jit_manifest.json";
  if (Path.empty())
    return std::string(); // libraries have an embedded manifest
  Result<BlobManifest> Manifest = BlobManifest::read(Path);
  if (!Manifest)
    return Manifest.status();
  RequestContext Context;
  Context.Root = root(W, *Manifest, Path);
  uint64_t Missing = 0;
  std::string First;
  for (const BlobRecord &Blob : Manifest->blobs()) {
    Result<BlobRequest> R = makeRequest(Blob, Context);
    if (!R && !Missing++)
      First = R.status().message();
  }
  auto Count = [&](const std::string &Noun) {
    size_t Blobs = Manifest->blobs().size();
    return std::to_string(Blobs) + " " + Noun + (Blobs == 1 ? "" : "s");
  };
  if (Missing)
    return Status(StatusCode::FileNotFound,
                  Path + ": " + std::to_string(Missing) + " of " +
                      Count("source") + " cannot be read, the first: " + First);
  return Path + ": " + Count("blob");
}

Result<jit::CompileRequest> CkJitDoor::request(const CompileWords &W,
                                               const BlobRecord &Blob,
                                               const BlobManifest &Manifest,
                                               const std::string &Root) const {
  RequestContext Context;
  Context.Root = Root;
  if (Manifest.LinkFlags)
    Context.LinkFlags = *Manifest.LinkFlags;
  Result<std::string> Compiler = compiler(W, Manifest.Compiler);
  if (!Compiler)
    return Compiler.status();
  Context.Compiler = std::move(*Compiler);
  Result<BlobRequest> R = makeRequest(Blob, Context);
  if (!R)
    return R.status();
  if (R->Compile.Lang == jit::Language::Hip) {
    Result<std::string> Target = target(W, R->BuiltFor);
    if (!Target)
      return Status(Target.status().code(),
                    Blob.Stem + ": " + Target.status().message());
    R->Compile.Target = std::move(*Target);
  }
  R->Compile.Symbols = W.Symbols;
  return std::move(R->Compile);
}

Result<jit::CompileRequest> CkJitDoor::request(const CompileWords &W) const {
  if (W.Manifest.empty()) {
    SmallString<256> Current;
    sys::fs::current_path(Current);
    std::string Here(Current);
    BlobRecord Blob;
    Blob.Source = absolutePath(W.Source);
    Blob.Stem = getFirst({W.Name, sys::path::stem(Blob.Source).str()});
    Blob.Directory = Here;
    Blob.Flags = W.Flags;
    return request(W, Blob, BlobManifest(), Here);
  }
  Result<BlobManifest> Manifest = BlobManifest::read(W.Manifest);
  if (!Manifest)
    return Manifest.status();
  const BlobRecord *Blob = Manifest->find(W.Name);
  if (!Blob)
    return Status(StatusCode::FileNotFound,
                  W.Name + ": no such blob in " + W.Manifest +
                      "; give the file name of a source without extension");
  return request(W, *Blob, *Manifest, root(W, *Manifest, W.Manifest));
}

const Command ckjit::CacheVerb = {
    {.Name = "cache",
     .Summary = "look into the cache of compiled kernels and keep it in order",
     .Main = [](ArrayRef<const char *> Words, raw_ostream &Out,
                raw_ostream &Err) {
       return jittool::cacheMain(CkJitDoor(), Words, Out, Err);
     }}};
