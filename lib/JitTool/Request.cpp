//===- Request.cpp - the compile that a command line means ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Root and compiler are chosen by the option, the variable of libckjit, and the
// manifest, in this order; the target by the option, the variable, and then the
// GPUs of this machine. The choices have to be those of the library: an entry
// that is compiled ahead with another compiler or target has another key and is
// never found. Where there are GPUs of several kinds the library looks for one
// target that serves all of them; a command asks for --target= instead.
//
// The HSA runtime is loaded and not linked, so that ck-jit also runs where
// there is no ROCm; a compile loads it only when nothing has named the target.
//
//===----------------------------------------------------------------------===//
#include "Request.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

std::vector<runtime::Device> ckjit::devicesOfThisMachine() {
  // Stays loaded: its threads may outlive what follows.
  void *Hsa = ::dlopen("libhsa-runtime64.so.1", RTLD_LAZY);
  using Function = int (*)();
  auto Start =
      Hsa ? reinterpret_cast<Function>(::dlsym(Hsa, "hsa_init")) : nullptr;
  auto Stop =
      Hsa ? reinterpret_cast<Function>(::dlsym(Hsa, "hsa_shut_down")) : nullptr;
  if (!Start || !Stop || Start() != 0)
    return {};
  runtime::DeviceList List;
  List.connect();
  std::vector<runtime::Device> Devices = List.devices();
  Stop();
  return Devices;
}

std::string ckjit::rootOf(const Invocation &I, const BlobManifest &Manifest,
                          const std::string &ManifestPath) {
  SmallString<256> Folder(ManifestPath);
  sys::fs::make_absolute(Folder);
  sys::path::remove_filename(Folder);
  SmallString<256> Root(I.Args.getLastArgValue(OPT_root_EQ));
  if (!Root.empty()) {
    sys::fs::make_absolute(Root);
    return std::string(Root);
  }
  Root = I.Env.Root;
  if (Root.empty())
    Root = Manifest.Root;
  if (!sys::path::is_absolute(Root)) {
    sys::path::append(Folder, Root);
    Root = Folder;
  }
  sys::path::remove_dots(Root, /*remove_dot_dot=*/false);
  return std::string(Root);
}

Result<std::string> ckjit::compilerOf(const Invocation &I,
                                      const std::string &OfManifest) {
  const Settings &S = I.Env;
  std::string Wanted = I.Args.getLastArgValue(OPT_compiler_EQ).str();
  if (Wanted.empty())
    Wanted = S.Compiler;
  if (Wanted.empty())
    Wanted = OfManifest;
  return findCompiler(Wanted, S.RocmPath, S.SearchPath);
}

/// As lib/CkJit/Runtime/Resolver.cpp chooses it.
static Result<std::string> targetOf(const Invocation &I,
                                    const std::vector<std::string> &BuiltFor) {
  std::string Wanted = I.Args.getLastArgValue(OPT_target_EQ).str();
  if (Wanted.empty())
    Wanted = I.Env.Target;
  if (!Wanted.empty())
    return chooseTarget(BuiltFor, Wanted);
  std::vector<runtime::Device> Devices = devicesOfThisMachine();
  if (Devices.empty() && BuiltFor.size() == 1)
    return BuiltFor.front();
  if (Devices.size() != 1 || Devices.front().empty())
    return Status(StatusCode::ArchNotFound,
                  Devices.empty()
                      ? "no GPU was found to compile for; name one with "
                        "--target="
                      : "there are GPUs of several kinds; name one with "
                        "--target=");
  return chooseTarget(BuiltFor, Devices.front().front());
}

Result<jit::CompileRequest> ckjit::requestOf(const Invocation &I,
                                             const BlobRecord &Blob,
                                             const BlobManifest *Manifest,
                                             const std::string &Root) {
  RequestContext Context;
  Context.Root = Root;
  if (Manifest && Manifest->LinkFlags)
    Context.LinkFlags = *Manifest->LinkFlags;
  Result<std::string> Compiler =
      compilerOf(I, Manifest ? Manifest->Compiler : "");
  if (!Compiler)
    return Compiler.status();
  Context.Compiler = std::move(*Compiler);
  Result<BlobRequest> R = requestOf(Blob, Context);
  if (!R)
    return R.status();
  if (R->Compile.Lang == jit::Language::Hip) {
    Result<std::string> Target = targetOf(I, R->BuiltFor);
    if (!Target)
      return Status(Target.status().code(),
                    Blob.Stem + ": " + Target.status().message());
    R->Compile.Target = std::move(*Target);
  }
  R->Compile.Symbols = I.Args.getAllArgValues(OPT_symbol_EQ);
  return std::move(R->Compile);
}
