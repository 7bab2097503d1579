//===- FakeRocm.cpp - a ROCm with another compiler ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FakeRocm.h.
//
//===----------------------------------------------------------------------===//
#include "FakeRocm.h"
#include "Library.h"
#include "kpack/Offload/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using kpack::offload::objectError;

/// Names under which builds call compilers. c++ need not be in ROCm: the folder
/// stands first in PATH, for builds that link with the host's compiler.
static constexpr StringLiteral Compilers[] = {"hipcc", "amdclang++", "c++"};

static bool hasCompiler(const std::string &Root) {
  return !Root.empty() && sys::fs::can_execute(Root + "/bin/hipcc");
}

Expected<std::string> ckjit::findRocm(const std::string &Wanted) {
  if (!Wanted.empty()) {
    SmallString<256> Path(Wanted);
    sys::fs::make_absolute(Path);
    sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    if (hasCompiler(Path.str().str()))
      return Path.str().str();
    return objectError(Wanted, "has no bin/hipcc; name ROCm's folder with "
                               "--rocm-path or ROCM_PATH");
  }
  std::vector<std::string> Candidates = {variable("ROCM_PATH"),
                                         variable("ROCM_HOME")};
  if (ErrorOr<std::string> Hipcc = sys::findProgramByName("hipcc")) {
    SmallString<256> Path;
    if (!sys::fs::real_path(*Hipcc, Path))
      Candidates.push_back(
          sys::path::parent_path(sys::path::parent_path(Path)).str());
  }
  Candidates.push_back("/opt/rocm");
  for (const std::string &Candidate : Candidates)
    if (hasCompiler(Candidate))
      return findRocm(Candidate);
  return objectError("ROCm", "not found; name its folder with --rocm-path or "
                             "ROCM_PATH");
}

static Error link(const std::string &Target, const std::string &Name) {
  if (symlink(Target.c_str(), Name.c_str()) != 0)
    return objectError(Name, Twine("cannot be made: ") + strerror(errno) +
                                 "; name another --tmp-dir");
  return Error::success();
}

/// A link in \p Folder to everything in \p Real that \p Skipped does not name.
static Error linkAll(const std::string &Real, const std::string &Folder,
                     ArrayRef<StringLiteral> Skipped) {
  if (Error E = makeFolder(Folder))
    return E;
  std::error_code Code;
  for (sys::fs::directory_iterator I(Real, Code), End; I != End && !Code;
       I.increment(Code)) {
    StringRef Name = sys::path::filename(I->path());
    if (is_contained(Skipped, Name))
      continue;
    if (Error E = link(I->path(), (Folder + "/" + Name).str()))
      return E;
  }
  return Error::success();
}

Error ckjit::makeFakeRocm(const std::string &Folder, const std::string &Real) {
  Expected<std::string> Hipcc = findPart({"ck-jit-hipcc"});
  if (!Hipcc)
    return Hipcc.takeError();
  sys::fs::remove_directories(Folder);
  if (Error E = linkAll(Real, Folder, {"bin"}))
    return E;
  if (Error E = linkAll(Real + "/bin", Folder + "/bin", Compilers))
    return E;
  for (StringRef Name : Compilers)
    if (Name == "c++" || sys::fs::exists(Real + "/bin/" + Name.str()))
      if (Error E = link(*Hipcc, (Folder + "/bin/" + Name).str()))
        return E;
  return Error::success();
}
