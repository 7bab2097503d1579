//===- RocmTree.cpp - programs with a ROCm in another folder --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command for a tree with a C library:
//
//   DIR/.../ld-linux-x86-64.so.2 --audit libsoftgpu_libraries.so --argv0 app
//     --library-path DIR/usr/lib/...:... /path/of/app arguments
//
// The auditing library redirects absolute paths of libraries into the tree.
//
// The emulated driver needs LLVM and its dependencies. The ones that the tree
// lacks come from the system, through links in a folder of this run. If all of
// the system's libraries came after those of the tree, a program that is linked
// with another version of HIP would get the system's on top of the tree's HSA.
// A tree that is older than the system needs a system of its age.
//
//===----------------------------------------------------------------------===//
#include "RocmTree.h"

#include "ProgramEnvironment.h"
#include "Rocm.h"

#include "SoftGpu/Kfd/Preload/TreePath.h"
#include "Support/MappedFile.h"
#include "ToolSupport/ElfFile.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace kpack;
using namespace llvm;

/// Returns \p Path below \p Folder.
static std::string below(StringRef Folder, const Twine &Path) {
  SmallString<256> Full = Folder;
  sys::path::append(Full, Path);
  return Full.str().str();
}

/// Returns the first file \p Name in \p Folders, or an empty string.
static std::string findFile(ArrayRef<std::string> Folders, StringRef Name) {
  for (const std::string &Folder : Folders)
    if (std::string File = below(Folder, Name); sys::fs::exists(File))
      return File;
  return "";
}

/// Returns the names of the libraries that an ELF file is linked with.
static std::vector<std::string> neededBy(StringRef Path) {
  std::vector<std::string> Names;
  Result<MappedFile> File = MappedFile::open(Path.str());
  if (!File)
    return Names;
  if (auto Read = readNeededNames(File->bytes()))
    Names = std::move(Read->Needed);
  return Names;
}

/// Makes links in \p Links to all libraries that \p Library needs and \p Tree
/// lacks.
static Error linkMissing(StringRef Library, ArrayRef<std::string> Tree,
                         StringRef Links) {
  std::vector<std::string> System = run::libraryFolders("/");
  if (std::error_code Problem = sys::fs::create_directories(Links))
    return objectError(Links, Problem.message());
  std::vector<std::string> Left = neededBy(Library);
  for (StringSet<> Seen; !Left.empty();) {
    std::string Name = std::move(Left.back());
    Left.pop_back();
    if (Name.empty() || !Seen.insert(Name).second ||
        !findFile(Tree, Name).empty())
      continue;
    std::string File = findFile(System, Name);
    if (File.empty()) // the dynamic linker will report it
      continue;
    if (std::error_code Problem =
            sys::fs::create_link(File, below(Links, Name)))
      return objectError(below(Links, Name), Problem.message());
    append_range(Left, neededBy(File));
  }
  return Error::success();
}

/// Returns an empty string if there is no such program.
static std::string findProgram(StringRef Root, const std::string &Name) {
  std::string Inside = below(Root, "usr/bin/" + Name);
  if (!StringRef(Name).contains('/') && sys::fs::can_execute(Inside))
    return Inside;
  ErrorOr<std::string> Found = sys::findProgramByName(Name);
  return Found ? *Found : "";
}

/// Refuses a program that is linked with another version of a library than the
/// tree has: it would get the system's library in addition to the tree's.
static Error checkVersions(StringRef Program, ArrayRef<std::string> Tree) {
  for (const std::string &Name : neededBy(Program)) {
    if (!findFile(Tree, Name).empty())
      continue;
    std::string Other = run::findLibrary(
        Tree, StringRef(Name).split(".so").first.str() + ".so");
    if (!Other.empty())
      return objectError(Program, "linked with " + Name + ", and there is " +
                                      Other +
                                      "; link it with that one to run it with "
                                      "this ROCm");
  }
  return Error::success();
}

/// Writes files by which the preloaded library starts programs of the tree for
/// the program (Kfd/Preload/Programs.cpp).
static Error leaveForChildren(StringRef Linker, StringRef Audit,
                              StringRef Folders, StringRef Run) {
  for (auto [Variable, Name] : {std::pair(Linker, "linker"), {Audit, "audit"}})
    if (std::error_code Problem =
            sys::fs::create_link(Variable, below(Run, Name)))
      return objectError(below(Run, Name), Problem.message());
  return writeOutput(below(Run, "folders"), Folders);
}

/// Returns the search path: \p Folders, and those of the caller.
static std::string libraryPath(ArrayRef<std::string> Folders) {
  std::string OfTree = join(Folders, ":");
  std::string Callers =
      sys::Process::GetEnv("LD_LIBRARY_PATH").value_or(std::string());
  std::string All(OfTree.size() + 2 * Callers.size() + 3, '\0');
  softgpu::composeLibraryPath(Callers.c_str(), OfTree.c_str(), All.data(),
                              All.size());
  return All.c_str();
}

/// For a script with an interpreter in the tree, sets \p Path to the ELF
/// program that executes it, and appends to \p Command its arguments up to the
/// script's path. Fails for other scripts.
static Error startScript(StringRef Root, std::string &Path,
                         std::vector<std::string> &Command) {
  if (!sys::fs::can_execute(Path))
    return objectError(Path, "not an ELF program and not executable; make a "
                             "script executable (chmod +x)");
  auto Chain = std::make_unique<softgpu::InterpreterChain>();
  softgpu::ScriptKind Kind =
      softgpu::findInterpreters(Root.str().c_str(), Path.c_str(), *Chain);
  switch (Kind) {
  case softgpu::ScriptKind::OfTree:
    break;
  case softgpu::ScriptKind::Other:
    return objectError(Path, "not an ELF program; with '--rocm' give the "
                             "interpreter of a script, and the script as its "
                             "argument");
  case softgpu::ScriptKind::NoPermission:
    return objectError(Path, Twine("its interpreter ") + Chain->program() +
                                 " is not executable; make it so (chmod +x)");
  case softgpu::ScriptKind::BadFormat:
    return objectError(Path, Twine("its interpreter ") + Chain->program() +
                                 " is neither an ELF program nor a script; "
                                 "install it again");
  case softgpu::ScriptKind::TooDeep:
    return objectError(Path, "more than " +
                                 Twine(softgpu::InterpreterChain::Most) +
                                 " interpreters, each a script for the next; "
                                 "name an ELF program in its first line");
  }
  Chain->eachWord([&](const char *Word) { Command.push_back(Word); });
  Command.push_back(Path);
  Path = Chain->program();
  return Error::success();
}

Expected<std::vector<std::string>> run::withRocm(StringRef Folder,
                                                 ArrayRef<std::string> Program,
                                                 StringRef Driver,
                                                 StringRef Run) {
  SmallString<256> Root = Folder;
  if (std::error_code Problem = sys::fs::make_absolute(Root))
    return objectError(Folder, Problem.message());
  std::vector<std::string> Folders = libraryFolders(Root);
  if (findLibrary(Folders, "libhsa-runtime64.so").empty())
    return objectError(Folder, "no libhsa-runtime64.so below it; give a "
                               "chroot, or a folder into which the ROCm "
                               "packages were unpacked");
  if (std::error_code Problem = sys::fs::create_link(Root, below(Run, "rocm")))
    return objectError(below(Run, "rocm"), Problem.message());
  std::string Path = findProgram(Root, Program.front());
  file_magic Magic;
  if (!sys::fs::is_regular_file(Path) || identify_magic(Path, Magic))
    return Program.vec(); // starting it reports the reason
  // The dynamic linker would map it all the same.
  if (Magic.is_object() && !sys::fs::can_execute(Path))
    return Program.vec();
  std::vector<std::string> OfScript;
  if (!Magic.is_object())
    if (Error E = startScript(Root, Path, OfScript))
      return E;
  if (Error E = checkVersions(Path, Folders))
    return E;
  // Empty if the tree has no C library.
  std::string Linker = findFile(Folders, "ld-linux-x86-64.so.2");
  std::vector<std::string> Command;
  std::string Audit =
      below(sys::path::parent_path(Driver), "libsoftgpu_libraries.so");
  if (Linker.empty()) {
    putBefore("LD_LIBRARY_PATH", join(Folders, ":"));
    putBefore("LD_AUDIT", Audit);
    Command = {Path};
  } else {
    std::string Links = below(Run, "lib");
    if (Error E = linkMissing(Driver, Folders, Links))
      return E;
    Folders.push_back(Links);
    if (Error E = leaveForChildren(Linker, Audit, join(Folders, ":"), Run))
      return E;
    // A program of the tree may look for its files from its location (Python
    // does); PATH would lead it to the system's.
    bool IsInTree = StringRef(Path).starts_with(Root);
    Command = {Linker,
               "--inhibit-cache",
               "--audit",
               Audit,
               "--argv0",
               IsInTree ? Path : Program.front(),
               "--library-path",
               libraryPath(Folders),
               Path};
  }
  append_range(Command, OfScript);
  append_range(Command, Program.drop_front());
  return Command;
}
