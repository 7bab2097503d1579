//===- HipInstallation.cpp - search for HIP and device libraries ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read findHip() first. Device libraries by Debian release:
//   12        /usr/lib/<multiarch>/amdgcn/bitcode
//   13        /usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode
//   unstable  /usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode
// A compiler reads the bitcode of older ones, never that of newer ones.
//
//===----------------------------------------------------------------------===//

#include "HipInstallation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace kpack::driver {

namespace {
class Finder {
public:
  Finder(const HipQuery &Query, vfs::FileSystem &Files)
      : Query(Query), Files(Files) {}

  HipInstallation find();

private:
  bool exists(const Twine &Path) const { return Files.exists(Path); }
  std::vector<std::string> folders(const Twine &Path) const;
  std::vector<std::string> rocmRoots() const;
  bool readVersion(StringRef Root, HipInstallation &Hip) const;
  std::string stockDeviceLibs() const;
  std::string debianDeviceLibs() const;
  unsigned newestCodeObject(StringRef DeviceLibs) const;

  const HipQuery &Query;
  vfs::FileSystem &Files;
};
} // namespace

/// Returns the names in \p Path, sorted.
std::vector<std::string> Finder::folders(const Twine &Path) const {
  std::vector<std::string> Result;
  std::error_code EC;
  for (vfs::directory_iterator I = Files.dir_begin(Path, EC), End;
       !EC && I != End; I.increment(EC))
    Result.push_back(sys::path::filename(I->path()).str());
  std::sort(Result.begin(), Result.end());
  return Result;
}

/// Returns the trees that clang takes for a ROCm, best first.
std::vector<std::string> Finder::rocmRoots() const {
  if (!Query.RocmPath.empty())
    return {Query.RocmPath};
  std::vector<std::string> Result;
  // A clang inside a ROCm: <root>/llvm/bin or <root>/lib/llvm/bin.
  StringRef Prefix =
      sys::path::parent_path(sys::path::parent_path(Query.Clang));
  if (sys::path::filename(Prefix) == "llvm") {
    StringRef Root = sys::path::parent_path(Prefix);
    if (sys::path::filename(Root) == "lib")
      Root = sys::path::parent_path(Root);
    Result.push_back(Root.str());
  }
  Result.push_back("/opt/rocm");
  std::string Newest;
  VersionTuple NewestVersion;
  for (const std::string &Name : folders("/opt")) {
    StringRef Text = Name;
    VersionTuple Version;
    if (Text.consume_front("rocm-") &&
        !Version.tryParse(Text.take_until([](char C) { return C == '-'; })) &&
        NewestVersion < Version) {
      Newest = "/opt/" + Name;
      NewestVersion = Version;
    }
  }
  if (!Newest.empty())
    Result.push_back(Newest);
  Result.push_back("/usr/local");
  Result.push_back("/usr");
  return Result;
}

/// Reads the version in \p Root/include/hip/hip_version.h. Returns false if
/// there is none.
bool Finder::readVersion(StringRef Root, HipInstallation &Hip) const {
  auto Header = Files.getBufferForFile(Root + "/include/hip/hip_version.h");
  if (!Header)
    return false;
  std::map<StringRef, StringRef> Values;
  SmallVector<StringRef, 0> Lines;
  (*Header)->getBuffer().split(Lines, '\n');
  for (StringRef Line : Lines)
    if (Line.consume_front("#define HIP_VERSION_")) {
      auto [Name, Value] = getToken(Line);
      Values[Name] = Value.trim();
    }
  unsigned Major, Minor;
  if (Values["MAJOR"].getAsInteger(10, Major) || Major == 0 ||
      Values["MINOR"].getAsInteger(10, Minor))
    return false;
  Hip.Root = Root.str();
  Hip.Version = VersionTuple(Major, Minor);
  StringRef Hash = Values["GITHASH"].trim('"');
  Hip.FullVersion = (Hip.Version.getAsString() + "." + Values["PATCH"] + "-" +
                     (Hash.empty() ? "0" : Hash))
                        .str();
  return true;
}

/// Returns the directory in which clang finds the device libraries without
/// options.
std::string Finder::stockDeviceLibs() const {
  StringRef Prefix =
      sys::path::parent_path(sys::path::parent_path(Query.Clang));
  std::vector<std::string> Places = {
      (Prefix + "/lib/clang/" + Twine(Query.ClangMajor) + "/lib").str()};
  for (const std::string &Root : rocmRoots())
    Places.push_back(Root);
  for (const std::string &Place : Places)
    if (exists(Place + "/amdgcn/bitcode/ockl.bc"))
      return Place + "/amdgcn/bitcode";
  return "";
}

std::string Finder::debianDeviceLibs() const {
  std::string Best;
  unsigned BestMajor = 0;
  for (const std::string &Name : folders("/usr/lib")) {
    StringRef Version = Name;
    unsigned Major;
    if (!Version.consume_front("llvm-") || Version.getAsInteger(10, Major) ||
        Major <= BestMajor || Major > Query.ClangMajor)
      continue;
    for (const char *Lib : {"", "/lib"}) {
      std::string Folder = ("/usr/lib/llvm-" + Twine(Major) + "/lib/clang/" +
                            Twine(Major) + Lib + "/amdgcn/bitcode")
                               .str();
      if (exists(Folder + "/ockl.bc")) {
        Best = Folder;
        BestMajor = Major;
      }
    }
  }
  if (!Best.empty())
    return Best;
  for (const std::string &Name : folders("/usr/lib"))
    if (exists("/usr/lib/" + Name + "/amdgcn/bitcode/ockl.bc"))
      return "/usr/lib/" + Name + "/amdgcn/bitcode";
  return "";
}

unsigned Finder::newestCodeObject(StringRef DeviceLibs) const {
  unsigned Newest = 0;
  for (unsigned Version : {4, 5, 6})
    if (exists(DeviceLibs + "/oclc_abi_version_" + Twine(Version) + "00.bc"))
      Newest = Version;
  return Newest;
}

HipInstallation Finder::find() {
  HipInstallation Result;
  std::vector<std::string> Roots = rocmRoots();
  if (!Query.HipPath.empty())
    Roots = {Query.HipPath};
  for (const std::string &Root : Roots)
    if (readVersion(Root, Result))
      break;

  if (!Query.DeviceLibs.empty()) {
    Result.DeviceLibs = Query.DeviceLibs;
    Result.ClangFindsDeviceLibs = true;
  } else if (Result.DeviceLibs = stockDeviceLibs();
             !Result.DeviceLibs.empty()) {
    Result.ClangFindsDeviceLibs = true;
  } else if (is_contained(Roots, "/usr")) {
    Result.DeviceLibs = debianDeviceLibs();
  }
  if (!Result.DeviceLibs.empty())
    Result.NewestCodeObject = newestCodeObject(Result.DeviceLibs);
  return Result;
}

HipInstallation findHip(const HipQuery &Query, vfs::FileSystem &Files) {
  return Finder(Query, Files).find();
}

} // namespace kpack::driver
