//===- Rocm.cpp - the program's ROCm and its GPUs -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// We read the libraries without loading them: those of another ROCm may need
// another C library. If a registry in the file has no names in text form, every
// GPU counts as known.
//
//===----------------------------------------------------------------------===//
#include "Rocm.h"

#include "SoftGpu/Kfd/Preload/TreePath.h"
#include "Support/MappedFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <cstring>

using namespace kpack;
using namespace kpack::run;
using namespace kpack::softgpu;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

/// Resolves \p Path and its links with \p Root as the root; empty if absent.
static std::string inRoot(StringRef Root, StringRef Path) {
  char Found[PATH_MAX];
  return findInTree(Root.str().c_str(), Path.str().c_str(), Found) ? Found : "";
}

namespace {
/// Collects the folders of a dynamic linker's configuration, in the notation of
/// ldconfig(8). Includes may form cycles, and a file may be written to keep its
/// reader busy: no file is read twice, and input beyond the limits, which are
/// far from those of any system, is ignored.
class LinkerConfiguration {
public:
  LinkerConfiguration(StringRef Root, std::vector<std::string> &Folders)
      : Root(Root), Folders(Folders) {}

  void read(StringRef Config, unsigned Depth = 0);

private:
  void include(StringRef Name, unsigned Depth);

  static constexpr unsigned MostDepth = 4, MostIncludes = 256, MostFiles = 256;
  static constexpr size_t MostBytes = 256 * 1024; // of all files

  StringRef Root;
  std::vector<std::string> &Folders;
  StringSet<> Files; ///< without links
  unsigned Includes = 0;
  size_t Bytes = 0;
};
} // namespace

void LinkerConfiguration::read(StringRef Config, unsigned Depth) {
  std::string Path = inRoot(Root, Config);
  if (Depth == MostDepth || Files.size() == MostFiles ||
      !Files.insert(Path).second)
    return;
  Result<MappedFile> File = MappedFile::open(Path);
  if (!File || File->bytes().size() > MostBytes - Bytes)
    return;
  Bytes += File->bytes().size();
  for (StringRef Line : split(StringRef(File->bytes()), '\n')) {
    Line = Line.split('#').first.trim();
    if (Line.consume_front("include "))
      include(Line.trim(), Depth + 1);
    else if (Line.starts_with("/"))
      Folders.push_back(Line.str());
  }
}

void LinkerConfiguration::include(StringRef Name, unsigned Depth) {
  if (++Includes > MostIncludes)
    return;
  SmallString<256> Pattern = Name;
  if (!sys::path::is_absolute(Pattern))
    Pattern = ("/etc/" + Name).str();
  auto Names = GlobPattern::create(sys::path::filename(Pattern));
  if (!Names) {
    consumeError(Names.takeError());
    return;
  }
  StringRef Folder = sys::path::parent_path(Pattern);
  std::vector<std::string> Found;
  std::error_code Problem;
  for (sys::fs::directory_iterator It(inRoot(Root, Folder), Problem), End;
       It != End && !Problem; It.increment(Problem))
    if (StringRef File = sys::path::filename(It->path()); Names->match(File))
      Found.push_back((Folder + "/" + File).str());
  llvm::sort(Found);
  for (const std::string &File : Found)
    read(File, Depth);
}

std::vector<std::string> run::libraryFolders(StringRef Root) {
  std::vector<std::string> Paths = {"/usr/lib/x86_64-linux-gnu",
                                    "/lib/x86_64-linux-gnu", "/opt/rocm/lib",
                                    "/usr/lib64", "/usr/lib"};
  LinkerConfiguration(Root, Paths).read("/etc/ld.so.conf");
  std::vector<std::string> Found;
  for (StringRef Path : Paths)
    if (std::string Folder = inRoot(Root, Path);
        sys::fs::is_directory(Folder) && !is_contained(Found, Folder))
      Found.push_back(Folder);
  return Found;
}

std::string run::findLibrary(ArrayRef<std::string> Folders, StringRef Name) {
  for (const std::string &Folder : Folders) {
    std::string Best;
    std::error_code Problem;
    for (sys::fs::directory_iterator It(Folder, Problem), End;
         It != End && !Problem; It.increment(Problem)) {
      StringRef Rest = sys::path::filename(It->path());
      if (Rest.consume_front(Name) && (Rest.empty() || Rest.front() == '.') &&
          (Best.empty() || StringRef(It->path()).compare_numeric(Best) > 0))
        Best = It->path();
    }
    if (!Best.empty())
      return Best;
  }
  return "";
}

/// Resolves \p Path; empty if there is no such file.
static std::string withoutLinks(StringRef Path) {
  SmallString<256> Real;
  return Path.empty() || sys::fs::real_path(Path, Real) ? "" : Real.str().str();
}

/// Returns "5.2" for ".../libamdhip64.so.5.2.21153", or an empty string.
static std::string getVersion(StringRef Library) {
  SmallVector<StringRef, 4> Parts;
  sys::path::filename(Library).split(".so.").second.split(Parts, '.');
  bool AreNumbers = llvm::all_of(Parts, [](StringRef Part) {
    return !Part.empty() && all_of(Part, isDigit);
  });
  return Parts.size() < 2 || !AreNumbers ? ""
                                         : (Parts[0] + "." + Parts[1]).str();
}

//===----------------------------------------------------------------------===//
// Rocm
//===----------------------------------------------------------------------===//

/// No name of a GPU is a prefix of another.
Rocm::Known Rocm::readKnown(StringRef Library) {
  Known Found(std::size(GpuProcessors), true);
  Result<MappedFile> File = MappedFile::open(Library.str());
  if (!File)
    return Found;
  for (size_t Index = 0; Index < Found.size(); ++Index) {
    std::string_view Name = GpuProcessors[Index].Name;
    Found[Index] = ::memmem(File->bytes().data(), File->bytes().size(),
                            Name.data(), Name.size()) != nullptr;
  }
  if (!is_contained(Found, true))
    Found.assign(Found.size(), true);
  return Found;
}

std::optional<Rocm> Rocm::find(ArrayRef<std::string> Folders) {
  Rocm R;
  R.Hsa = withoutLinks(findLibrary(Folders, "libhsa-runtime64.so"));
  if (R.Hsa.empty())
    return std::nullopt;
  R.Hip = withoutLinks(findLibrary(Folders, "libamdhip64.so"));
  R.Version = getVersion(R.Hip);
  R.OfHsa = readKnown(R.Hsa);
  R.OfHip = readKnown(R.Hip);
  return R;
}

std::optional<Rocm> Rocm::installed() {
  std::vector<std::string> Folders;
  std::string First = sys::Process::GetEnv("LD_LIBRARY_PATH").value_or("");
  for (StringRef Folder : split(First, ':'))
    if (!Folder.empty())
      Folders.push_back(Folder.str());
  append_range(Folders, libraryFolders("/"));
  return find(Folders);
}

std::string Rocm::name() const {
  return (Version.empty() ? std::string("the ROCm") : "ROCm " + Version) +
         " (" + Hsa + ")";
}

std::string Rocm::describe() const {
  std::string Text =
      (Version.empty() ? std::string("ROCm") : "ROCm " + Version) + ": " +
      (Hip.empty() ? "" : Hip + ", ") + Hsa + "\nGPUs that it knows:";
  for (const GpuProcessor &P : GpuProcessors)
    if (knows(P))
      Text += " " + std::string(P.Name);
  return Text + "\n";
}

unsigned Rocm::majorVersion() const {
  unsigned Major = 0;
  return to_integer(StringRef(Version).split('.').first, Major, 10) ? Major : 0;
}

bool Rocm::knows(const GpuProcessor &P) const {
  for (size_t Index = 0; Index < std::size(GpuProcessors); ++Index)
    if (GpuProcessors[Index].Name == P.Name)
      return OfHsa[Index] && OfHip[Index];
  return true;
}

std::string Rocm::unknown(ArrayRef<const GpuProcessor *> Gpus) const {
  std::string List;
  for (const GpuProcessor *P : Gpus)
    if (std::string Name(P->Name);
        !knows(*P) && !is_contained(split(List, ", "), Name))
      List += (List.empty() ? "" : ", ") + Name;
  return List;
}
