//===- BuildSettings.cpp - options of ck-jit build ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CK_JIT_TABLE is the only variable here that may be set to empty: not set
// means "bwd", empty means no tables. So Full.cpp always sets it.
//
// The parts of kpack are searched by paths relative to the running program,
// links followed, and at no absolute path, so that an installation can be moved
// as a whole. The helpers have two places: an installed library has them in the
// folder of ck-jit, kpack in libexec.
//
//===----------------------------------------------------------------------===//
#include "BuildSettings.h"
#include "Support/InstallLayout.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

std::string ckjit::variable(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

void ckjit::setVariable(StringRef Name, StringRef Value) {
  setenv(Name.str().c_str(), Value.str().c_str(), 1);
}

BuildSettings BuildSettings::fromEnvironment() {
  BuildSettings S;
  S.Project = variable("CK_JIT_AITER_DIR");
  S.Root = variable("CK_JIT_ROOT");
  S.Name = variable("CK_JIT_NAME");
  S.Clang = variable("CK_JIT_CLANG");
  S.MadeUpRocm = variable("CK_JIT_FAKE_ROCM");
  S.RealRocm = variable("CK_JIT_REAL_ROCM");
  std::string Seam = variable("CK_JIT_SEAM");
  S.Seam = !Seam.empty() && Seam != "0";
  const char *Table = std::getenv("CK_JIT_TABLE");
  S.setTable(Table ? Table : "bwd");
  return S;
}

void BuildSettings::setTable(StringRef Apis) {
  Table.clear();
  for (StringRef Api : split(Apis, ','))
    if (Api != "none" && !Api.empty())
      Table.push_back(Api.str());
}

bool BuildSettings::usesTable(StringRef ApiKind) const {
  return any_of(Table, [&](const std::string &Api) {
    return Api == "all" || Api == ApiKind;
  });
}

Expected<std::string> ckjit::findPart(ArrayRef<std::string> Relative) {
  SmallString<256> Program;
  std::string Folder = ".";
  if (!sys::fs::real_path("/proc/self/exe", Program))
    Folder = sys::path::parent_path(Program).str();
  for (const std::string &Path : Relative)
    if (std::string Whole = Folder + "/" + Path; sys::fs::exists(Whole)) {
      SmallString<256> Plain(Whole);
      sys::path::remove_dots(Plain, /*remove_dot_dot=*/true);
      return Plain.str().str();
    }
  return objectError(Folder + "/" + Relative.front(),
                     "not found; install kpack's runtime and development parts "
                     "beside ck-jit");
}

Expected<std::string> ckjit::findRuntimeLibrary() {
  return findPart({std::string(librariesFromPrograms()) + "/libckjit.so.0"});
}

Expected<std::string> ckjit::findRuntimeInclude() {
  Expected<std::string> Header = findPart({"../include/kpack/CkJit/Runtime.h"});
  if (!Header)
    return Header.takeError();
  return StringRef(*Header)
      .drop_back(sizeof("/kpack/CkJit/Runtime.h") - 1)
      .str();
}
