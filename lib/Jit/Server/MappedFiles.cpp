//===- MappedFiles.cpp - check of a compiler's libraries ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The key of a cached answer contains all that it depends on: the program's
// file, the folder of its libraries, the dynamic linker's search path, and the
// mapped files as they are now.
//
//===----------------------------------------------------------------------===//
#include "MappedFiles.h"
#include "Support/ProgramOutput.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <link.h>
#include <sys/stat.h>

using namespace kpack;
using namespace kpack::jit;
using namespace llvm;

namespace lld {
// The header of this function includes a file that is not installed.
std::string getLLDVersion();
} // namespace lld

/// Identifies a version of a file; empty if there is none.
static std::string makeStamp(const Twine &Path) {
  struct stat Info;
  if (::stat(Path.str().c_str(), &Info) != 0)
    return "";
  std::string Stamp;
  for (long long Part :
       {(long long)Info.st_dev, (long long)Info.st_ino, (long long)Info.st_size,
        (long long)Info.st_mtim.tv_sec, (long long)Info.st_mtim.tv_nsec,
        (long long)Info.st_ctim.tv_sec, (long long)Info.st_ctim.tv_nsec})
    Stamp += std::to_string(Part) + " ";
  return Stamp;
}

static int noteObject(dl_phdr_info *Object, size_t, void *Data) {
  auto &[Linker, Paths] =
      *static_cast<std::pair<std::string, std::vector<std::string>> *>(Data);
  StringRef Name = sys::path::filename(Object->dlpi_name);
  if (Name.starts_with("libclang-cpp") || Name.starts_with("libLLVM"))
    Paths.push_back(Object->dlpi_name);
  if (Linker.empty()) // the first object is the program
    for (int I = 0; I < Object->dlpi_phnum; ++I)
      if (const auto &Header = Object->dlpi_phdr[I]; Header.p_type == PT_INTERP)
        Linker =
            reinterpret_cast<const char *>(Object->dlpi_addr + Header.p_vaddr);
  return 0;
}

MappedFiles::MappedFiles() {
  std::pair<std::string, std::vector<std::string>> Found;
  ::dl_iterate_phdr(noteObject, &Found);
  DynamicLinker = Found.first;
  for (const std::string &Path : Found.second)
    Libraries.push_back({Path, makeStamp(Path)});
}

bool MappedFiles::askLinker(StringRef Program, size_t Wanted) const {
  std::optional<std::string> Listing =
      programOutput({DynamicLinker, "--list", Program.str()});
  if (!Listing)
    return false;
  size_t Same = 0;
  SmallVector<StringRef, 32> Lines;
  StringRef(*Listing).split(Lines, '\n');
  for (StringRef Line : Lines) {
    auto [Name, Path] = Line.trim().split(" => ");
    if (!Name.starts_with("libclang-cpp") && !Name.starts_with("libLLVM"))
      continue;
    std::string Stamp = makeStamp(Path.rsplit(" (").first);
    if (none_of(Libraries, [&](const Library &L) { return L.Stamp == Stamp; }))
      return false;
    ++Same;
  }
  return Same == Wanted;
}

bool MappedFiles::loadsOurs(StringRef Program, StringRef Real, size_t Wanted) {
  if (Libraries.size() != 2 || DynamicLinker.empty())
    return false;
  std::string Facts = Program.str() + '\0' + makeStamp(Program) + '\0' +
                      makeStamp(sys::path::parent_path(Real) + "/../lib");
  for (const char *Name : {"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT"})
    if (const char *Value = std::getenv(Name))
      Facts += std::string(1, '\0') + Name + Value;
  for (const Library &L : Libraries) {
    // Another file has this name by now, and programs load that one.
    if (makeStamp(L.Path) != L.Stamp)
      return false;
    Facts += L.Stamp;
  }
  auto [Known, IsNew] = Answers.try_emplace(Facts, false);
  if (IsNew)
    Known->second = askLinker(Program, Wanted);
  return Known->second;
}

static SmallString<128> resolveRealPath(StringRef Program) {
  SmallString<128> Real;
  if (!Program.starts_with("/") || sys::fs::real_path(Program, Real))
    Real.clear();
  return Real;
}

bool MappedFiles::isClang(StringRef Program) {
  // Other programs with clang's libraries have other names.
  SmallString<128> Real = resolveRealPath(Program);
  StringRef Name = sys::path::filename(Real);
  return Name.consume_front("clang") &&
         (Name.empty() || Name.starts_with("-")) &&
         Name.trim("-0123456789.").empty() && loadsOurs(Program, Real, 2);
}

static bool containsOurVersion(StringRef Linker) {
  std::string Version = lld::getLLDVersion();
  auto Content = MemoryBuffer::getFile(Linker, /*IsText=*/false,
                                       /*RequiresNullTerminator=*/false);
  return Content && (*Content)->getBuffer().contains(Version);
}

bool MappedFiles::isLld(StringRef Program) {
  SmallString<128> Real = resolveRealPath(Program);
  if (sys::path::filename(Real) != "lld" || !loadsOurs(Program, Real, 1))
    return false;
  // The rest of lld is linked into its program and into this module.
  auto [Known, IsNew] = OurVersion.try_emplace(makeStamp(Real), false);
  if (IsNew)
    Known->second = containsOurVersion(Real);
  return Known->second;
}
