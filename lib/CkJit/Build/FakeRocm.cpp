//===- FakeRocm.cpp - link tree: ROCm with ck-jit-hipcc -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The folder has links at two levels: one for each entry of ROCm, and, since
// bin differs, one for each program of bin:
//   rocm/lib            /opt/rocm/lib
//   rocm/bin/rocminfo   /opt/rocm/bin/rocminfo
//   rocm/bin/hipcc      .../bin/ck-jit-hipcc
// Every full build makes it again, since its links may lead to the ROCm of an
// earlier build.
//
// The search for the real ROCm skips every folder whose hipcc, with links
// followed, is a program of kpack: it may be a made-up ROCm left in the
// environment, and a build must not use itself.
//
//===----------------------------------------------------------------------===//
#include "FakeRocm.h"
#include "CkJit/Intercept/Intercept.h"
#include "Library.h"
#include "Support/ProgramOutput.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

/// Names by which builds call compilers. c++ need not be in ROCm: the folder is
/// first in PATH, for builds that link with the host's compiler.
static constexpr StringLiteral Compilers[] = {"hipcc", "amdclang++", "c++"};

/// Returns the ROCm for the parent folder \p Root of bin/hipcc, or empty.
/// ROCm's Python packages put scripts into an environment's bin; only their
/// rocm-sdk knows the folder of the real files.
static std::string rocmAt(const std::string &Root) {
  std::string Hipcc = Root + "/bin/hipcc", Sdk = Root + "/bin/rocm-sdk";
  if (Root.empty() || !sys::fs::can_execute(Hipcc) || isKpack(Hipcc))
    return "";
  if (!sys::fs::can_execute(Sdk))
    return Root;
  std::string Answer = programOutput({Sdk, "path", "--root"}).value_or("");
  std::string Real = StringRef(Answer).split('\n').first.trim().str();
  return sys::fs::can_execute(Real + "/bin/hipcc") ? Real : "";
}

/// Returns the parents of bin/hipcc in the order of PATH.
static std::vector<std::string> rootsInPath() {
  std::vector<std::string> Roots;
  SmallVector<StringRef, 32> Folders;
  std::string Path = variable("PATH");
  StringRef(Path).split(Folders, ':', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Folder : Folders) {
    // Follow links in PATH to their ROCm, but not the scripts of an
    // environment.
    SmallString<256> Hipcc(Folder);
    sys::path::append(Hipcc, "hipcc");
    SmallString<256> Real;
    if (sys::fs::exists(Folder + "/rocm-sdk"))
      Real = Hipcc;
    else if (sys::fs::real_path(Hipcc, Real))
      continue;
    Roots.push_back(sys::path::parent_path(sys::path::parent_path(Real)).str());
  }
  return Roots;
}

Expected<std::string> ckjit::findRocm(const std::string &Wanted) {
  std::vector<std::string> Candidates = {Wanted};
  if (Wanted.empty()) {
    Candidates = {variable("ROCM_PATH"), variable("ROCM_HOME")};
    append_range(Candidates, rootsInPath());
    Candidates.push_back("/opt/rocm");
  }
  for (const std::string &Candidate : Candidates)
    if (std::string Root = rocmAt(Candidate); !Root.empty()) {
      SmallString<256> Path(Root);
      sys::fs::make_absolute(Path);
      sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
      return Path.str().str();
    }
  if (!Wanted.empty())
    return objectError(Wanted, "has no bin/hipcc; name ROCm's folder with "
                               "--rocm-path or ROCM_PATH");
  return objectError("ROCm", "not found; name its folder with --rocm-path or "
                             "ROCM_PATH");
}

static Error link(const std::string &Target, const std::string &Name) {
  if (symlink(Target.c_str(), Name.c_str()) != 0)
    return objectError(Name, Twine("cannot be made: ") + strerror(errno) +
                                 "; name another --tmp-dir");
  return Error::success();
}

/// Links all entries of \p Real, except \p Skipped, into \p Folder.
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
