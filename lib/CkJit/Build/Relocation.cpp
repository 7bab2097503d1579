//===- Relocation.cpp - movable paths of a library's sources --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mapped paths if everything is copied, with the project /src/aiter:
//   /src/aiter/csrc/a.cpp       {root}/csrc/a.cpp
//   -I/usr/local/extra          -I{root}/external/0-extra
//   -I<tmp-dir>/rocm/include    -I/opt/rocm/include, the real ROCm's
//   -DHERE=/src/aiter/x         -DHERE={root}/x
// The last line is a replacement within text, since any option may contain a
// path. Both kinds end at a slash or at the end, so that /src/aiter2 is not
// part of /src/aiter. Folders outside of the project are numbered in the order
// of their names, not of the records, so that the order of records changes no
// path.
//
//===----------------------------------------------------------------------===//
#include "Relocation.h"
#include "CkJit/Intercept/CompilerArguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

static constexpr StringLiteral Root = "{root}";

/// Returns \p Path relative to \p Folder, without a leading slash.
static std::optional<std::string> inside(StringRef Path, StringRef Folder) {
  Folder = Folder.rtrim('/');
  if (Folder.empty() || !Path.consume_front(Folder))
    return std::nullopt;
  if (!Path.empty() && Path.front() != '/')
    return std::nullopt;
  return Path.ltrim('/').str();
}

static std::string joined(StringRef Folder, StringRef Name) {
  return Name.empty() ? Folder.str() : (Folder + "/" + Name).str();
}

/// Returns those of \p Folders that are in no other one.
static std::vector<std::string>
outermost(const std::set<std::string> &Folders) {
  std::vector<std::string> Result;
  for (const std::string &Folder : Folders)
    if (none_of(Result, [&](const std::string &Outer) {
          return inside(Folder, Outer).has_value();
        }))
      Result.push_back(Folder);
  return Result;
}

std::string Relocation::real(const std::string &Path) const {
  if (std::optional<std::string> Rest = inside(Path, Where.MadeUpRocm))
    return joined(Where.RealRocm, *Rest);
  return Path;
}

bool Relocation::staysAbsolute(const std::string &Path) const {
  if (inside(Path, Where.Project))
    return false;
  if (!Copies)
    return true;
  for (StringRef System :
       {StringRef(Where.RealRocm).rtrim('/'), StringRef("/usr/include"),
        StringRef("/usr/lib"), StringRef("/usr/local/include")})
    // If ROCm is in /usr, anything may be below it.
    if (!System.empty() && System != "/usr" && inside(Path, System))
      return true;
  return Path == "/" || Path == "/usr";
}

void Relocation::collect(const Record &R) {
  auto AddFolder = [&](StringRef Path) {
    std::string Folder = real(Path.str());
    if (Copies && !staysAbsolute(Folder))
      Folders.insert(std::move(Folder));
  };
  AddFolder(sys::path::parent_path(R.absoluteSource()));
  std::vector<std::string> Flags = R.flags();
  for (const Argument &A : parseArguments(Flags)) {
    if (!hasPath(A.Name) || A.Name == "-L" || A.Name == "-B" ||
        A.Value.empty() || A.Value[0] != '/')
      continue;
    AddFolder(sys::fs::is_directory(A.Value) ? StringRef(A.Value)
                                             : sys::path::parent_path(A.Value));
  }
  // Number outermost folders outside of the project in the order of their
  // names.
  Outside.clear();
  for (const std::string &Folder : outermost(Folders))
    if (!inside(Folder, Where.Project))
      Outside[Folder] = ("external/" + Twine(Outside.size()) + "-" +
                         sys::path::filename(Folder))
                            .str();
}

std::string Relocation::below(const std::string &Path) const {
  if (std::optional<std::string> Rest = inside(Path, Where.Project))
    return Rest->empty() ? "." : *Rest;
  for (const auto &[Folder, Name] : Outside)
    if (std::optional<std::string> Rest = inside(Path, Folder))
      return joined(Name, *Rest);
  return "";
}

std::string Relocation::mapped(const std::string &Path) const {
  std::string Real = real(Path);
  if (staysAbsolute(Real))
    return Real;
  std::string Below = below(Real);
  return Below.empty() ? Real : Below == "." ? Root.str() : joined(Root, Below);
}

BlobRecord Relocation::blob(const Record &R) {
  BlobRecord Blob;
  std::string Source = R.absoluteSource();
  Blob.Stem = sys::path::stem(Source).str();
  Blob.Source = mapped(Source);
  if (Copies && Blob.Source != real(Source))
    Files[Source] = below(real(Source));
  std::vector<std::string> Flags = R.flags();
  for (const Argument &A : parseArguments(Flags)) {
    const std::string &Word = Flags[A.First];
    if (!hasPath(A.Name) || A.Value.empty() || A.Value[0] != '/') {
      for (size_t I = 0; I != A.Count; ++I)
        // Other options may contain a path in the middle.
        Blob.Flags.push_back(withFolder(
            Flags[A.First + I], StringRef(Where.Project).rtrim('/'), Root));
      continue;
    }
    std::string Value = mapped(A.Value);
    if (Copies && Value != A.Value && !sys::fs::is_directory(A.Value) &&
        sys::fs::exists(A.Value))
      Files[A.Value] = below(real(A.Value));
    if (A.Count == 2) {
      Blob.Flags.push_back(A.Name);
      Blob.Flags.push_back(Value);
    } else {
      Blob.Flags.push_back(Word.substr(0, Word.size() - A.Value.size()) +
                           Value);
    }
  }
  return Blob;
}

std::map<std::string, std::string> Relocation::headerFolders() const {
  std::map<std::string, std::string> Result;
  for (const std::string &Folder : outermost(Folders))
    Result[Folder] = below(Folder);
  return Result;
}
