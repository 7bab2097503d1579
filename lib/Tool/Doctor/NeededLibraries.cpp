//===- NeededLibraries.cpp - search for a program's libraries -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ld.so(8) describes the order of places. Variants for processors
// (glibc-hwcaps) are ignored: each is next to a library for all processors.
//
//===----------------------------------------------------------------------===//
#include "Tool/Doctor/NeededLibraries.h"
#include "ToolSupport/ElfFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

using Folders = std::vector<std::string>;

/// Larger values occur only in files made to take time.
static constexpr size_t MostLibraries = 4096, MostFolders = 512,
                        LongestFolder = 4096;

struct NeededLibraries::Object {
  std::string Path;
  uint16_t Machine = 0;
  std::vector<std::string> Needed;
  Folders Rpath, Runpath;
  /// The reason why there may be more libraries, or empty.
  std::string Damage;
  /// Index of the object that loaded it; its own index if there is none.
  size_t Loader = 0;
};

static Folders splitFolders(StringRef List, StringRef Separators) {
  Folders All;
  StringSet<> Seen;
  while (!List.empty() && All.size() != MostFolders) {
    StringRef Item =
        List.take_until([&](char C) { return Separators.contains(C); });
    List = List.drop_front(std::min(Item.size() + 1, List.size()));
    // An empty item is the current folder.
    if (Item.empty())
      Item = ".";
    if (Item.size() <= LongestFolder && Seen.insert(Item).second)
      All.push_back(Item.str());
  }
  return All;
}

NeededLibraries::NeededLibraries(LinkerCache Cache, StringRef LibraryPath)
    : Cache(std::move(Cache)), LibraryPath(splitFolders(LibraryPath, ":;")) {}

static StringRef getTriplet(uint16_t Machine) {
  return Machine == ELF::EM_AARCH64 ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
}

static std::string replaced(std::string Text, StringRef Pattern, StringRef By) {
  for (size_t Offset = Text.find(Pattern); Offset != std::string::npos;
       Offset = Text.find(Pattern, Offset + By.size()))
    Text.replace(Offset, Pattern.size(), By);
  return Text;
}

/// Replaces $ORIGIN and $LIB in \p List; $LIB depends on the distribution.
static Folders expanded(StringRef List, StringRef File, uint16_t Machine) {
  SmallString<256> Real;
  if (sys::fs::real_path(File, Real))
    Real = File;
  Folders All;
  for (std::string Folder : splitFolders(List, ":")) {
    for (StringRef Origin : {"${ORIGIN}", "$ORIGIN"})
      Folder = replaced(Folder, Origin, sys::path::parent_path(Real));
    Folder = replaced(Folder, "${LIB}", "$LIB");
    if (!StringRef(Folder).contains("$LIB")) {
      All.push_back(Folder);
      continue;
    }
    All.push_back(
        replaced(Folder, "$LIB", ("lib/" + getTriplet(Machine)).str()));
    All.push_back(replaced(Folder, "$LIB", "lib64"));
    All.push_back(replaced(Folder, "$LIB", "lib"));
  }
  return All;
}

/// Reads the needed libraries of an ELF file; other files need none.
template <typename Object> static bool readObject(Object &Target) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(
      Target.Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return false;
  Target.Damage = dynamicDamage((*Buffer)->getBuffer());
  std::optional<NeededNames> Names = readNeededNames((*Buffer)->getBuffer());
  if (!Names)
    return false;
  Target.Machine = Names->Machine;
  Target.Needed = std::move(Names->Needed);
  Target.Rpath = expanded(Names->Rpath, Target.Path, Target.Machine);
  Target.Runpath = expanded(Names->Runpath, Target.Path, Target.Machine);
  if (!Target.Runpath.empty())
    Target.Rpath.clear();
  return true;
}

/// True if the dynamic linker would load \p Path into a program of \p Machine.
static bool isFor(StringRef Path, uint16_t Machine) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Start =
      MemoryBuffer::getFileSlice(Path, /*MapSize=*/20, /*Offset=*/0);
  if (!Start || (*Start)->getBufferSize() < 20)
    return false;
  StringRef Bytes = (*Start)->getBuffer();
  return Bytes.starts_with("\177ELF\2\1") &&
         support::endian::read16le(Bytes.data() + 18) == Machine;
}

std::string NeededLibraries::find(StringRef Name, const Object &For,
                                  const std::vector<Object> &Loaded) const {
  if (Name.contains('/'))
    return isFor(Name, For.Machine) ? Name.str() : "";
  Folders Places;
  // DT_RPATH of the objects that load it counts, too.
  if (For.Runpath.empty())
    for (const Object *O = &For;; O = &Loaded[O->Loader]) {
      append_range(Places, O->Rpath);
      if (O == &Loaded[O->Loader])
        break;
    }
  append_range(Places, LibraryPath);
  append_range(Places, For.Runpath);
  for (const std::string &Folder : Places)
    if (std::string File = Folder + "/" + Name.str(); isFor(File, For.Machine))
      return File;
  for (const std::string &File : Cache.find(Name))
    if (isFor(File, For.Machine))
      return File;
  std::string Triplet = getTriplet(For.Machine).str();
  for (const std::string &Folder :
       {"/lib/" + Triplet, "/usr/lib/" + Triplet, std::string("/lib64"),
        std::string("/usr/lib64"), std::string("/lib"),
        std::string("/usr/lib")})
    if (std::string File = Folder + "/" + Name.str(); isFor(File, For.Machine))
      return File;
  return "";
}

std::string NeededLibraries::findPreloaded(StringRef Name) const {
  Object Program;
  Program.Path = "/proc/self/exe";
  readObject(Program);
  // This program's own search paths are not for others.
  Program.Rpath.clear();
  Program.Runpath.clear();
  return find(Name, Program, {Program});
}

LoadedLibraries NeededLibraries::of(StringRef Program) const {
  std::vector<Object> Loaded(1);
  Loaded[0].Path = Program.str();
  readObject(Loaded[0]);
  LoadedLibraries Result;
  StringSet<> Seen;
  for (size_t I = 0; I != Loaded.size(); ++I) {
    if (!Loaded[I].Damage.empty())
      Result.Damaged.emplace_back(Loaded[I].Path, Loaded[I].Damage);
    for (const std::string &Name : std::vector(Loaded[I].Needed)) {
      if (Seen.size() == MostLibraries || !Seen.insert(Name).second)
        continue;
      std::string Path = find(Name, Loaded[I], Loaded);
      Result.All.push_back({Name, Loaded[I].Path, Path});
      Object Found;
      Found.Path = Path;
      Found.Loader = I;
      if (!Path.empty() && (readObject(Found) || !Found.Damage.empty()))
        Loaded.push_back(std::move(Found));
    }
  }
  return Result;
}
