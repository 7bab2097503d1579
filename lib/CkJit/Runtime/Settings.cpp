//===- Settings.cpp - settings of libckjit --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/reference/ck-jit-runtime.md lists the variables.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Runtime/Settings.h"

#include "Jit/Executor/InstalledPrograms.h"
#include "Jit/Service/Toolchain.h"
#include "Support/SecureMode.h"
#include "Support/Texts.h"

#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;

static jit::CacheMode getMode(const std::string &Text) {
  if (Text == "ro")
    return jit::CacheMode::ReadOnly;
  if (Text == "off")
    return jit::CacheMode::Off;
  if (Text == "strict")
    return jit::CacheMode::Strict;
  if (!Text.empty() && Text != "rw")
    std::fprintf(stderr,
                 "ck-jit: warning: CK_JIT_MODE=%s: not rw, ro, off or strict; "
                 "rw is used\n",
                 Text.c_str());
  return jit::CacheMode::ReadWrite;
}

/// Like getMode(); auto if not set.
static jit::PchPolicy parsePch(const std::string &Text) {
  auto Policy = jit::parsePchPolicy(Text);
  if (!Policy && !Text.empty())
    std::fprintf(stderr,
                 "ck-jit: warning: CK_JIT_PCH=%s: not auto, on or off; auto "
                 "is used\n",
                 Text.c_str());
  return Policy.value_or(jit::PchPolicy::Auto);
}

static jit::CompileRoute readRoute(jit::CompileRoute Default) {
  Result<jit::CompileRoute> Route = jit::routeFromEnvironment(Default);
  if (!Route)
    std::fprintf(stderr, "ck-jit: warning: %s; fork is used\n",
                 Route.status().message().c_str());
  return Route ? *Route : Default;
}

Settings Settings::fromEnvironment() {
  Settings S;
  S.Root = variable("CK_JIT_ROOT");
  S.CacheDir = variable("CK_JIT_CACHE_DIR");
  S.CacheHome = variable("XDG_CACHE_HOME");
  std::string Home = variable("HOME");
  // The XDG specification requires that relative paths are ignored.
  if ((S.CacheHome.empty() || S.CacheHome[0] != '/') && !Home.empty())
    S.CacheHome = Home + "/.cache";
  S.Name = variable("CK_JIT_NAME");
  S.Manifest = variable("CK_JIT_MANIFEST");
  S.Compiler = variable("CK_JIT_COMPILER");
  S.Target = variable("CK_JIT_TARGET");
  S.Helper = variable("CK_JIT_HELPER");
  S.SearchPath = variable("PATH");
  S.RocmPath = variable("ROCM_PATH");
  S.Record = variable("CK_JIT_RECORD");
  S.SystemDirs = splitAt(variable("CK_JIT_SYSTEM_CACHE"), ':');
  for (const std::string &Name :
       splitAt(variable("CK_JIT_SYSTEM_CACHE_OWNER"), ':')) {
    if (std::optional<uid_t> User = jit::userNamed(Name))
      S.SystemOwners.push_back(*User);
    else
      std::fprintf(stderr,
                   "ck-jit: warning: CK_JIT_SYSTEM_CACHE_OWNER=%s: no such "
                   "user; give a name or a number\n",
                   Name.c_str());
  }
  S.Remote = remoteFromEnvironment();
  // A program with more rights than its user runs no compiler.
  S.Mode = isSecureMode() ? jit::CacheMode::Strict
                          : getMode(variable("CK_JIT_MODE"));
  S.Pch = parsePch(variable("CK_JIT_PCH"));
  S.Route = readRoute(S.Route);
  std::string Verbose = variable("CK_JIT_VERBOSE");
  S.Verbose = !Verbose.empty() && Verbose != "0";
  return S;
}

std::string ckjit::getRoot(const Settings &S, const ck_jit_manifest &Manifest) {
  std::string Root = !S.Root.empty() ? S.Root
                     : Manifest.root ? Manifest.root
                                     : "ck_jit";
  return Root[0] == '/' ? Root : jit::getFolder(&Manifest) + "/" + Root;
}

std::string ckjit::getCacheDir(const Settings &S,
                               const ck_jit_manifest &Manifest) {
  if (!S.CacheDir.empty())
    return S.CacheDir;
  std::string Name = !S.Name.empty() ? S.Name
                     : Manifest.name ? Manifest.name
                                     : "ck_jit";
  return S.CacheHome.empty() ? "" : S.CacheHome + "/" + Name;
}

std::string ckjit::programBesideUs(const std::string &Name) {
  return jit::programBeside(
      reinterpret_cast<const void *>(&ckjit::programBesideUs), Name);
}

std::string ckjit::getTool() {
  std::string Found = programBesideUs("ck-jit");
  return ::access(Found.c_str(), X_OK) == 0 ? Found : "ck-jit";
}

std::string ckjit::findHelper(const Settings &S) {
  return S.Helper.empty() ? programBesideUs("kpack-jit-compile") : S.Helper;
}

Result<std::string> ckjit::findCompiler(const Settings &S,
                                        const std::string &Wanted) {
  // A library was built by one version of a compiler: try no other.
  return jit::findCompiler({Wanted, S.RocmPath, S.SearchPath, "CK_JIT_COMPILER",
                            /*WithVersions=*/false});
}
