//===- State.cpp - saved inputs for linking a library again ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tmp folder is replaced wherever a text contains it, not only at the start
// of a word, since options contain paths:
//   -Wl,-rpath,/src/jit/x        -Wl,-rpath,{jit}/x
// A match counts only if a slash or the end of the text follows, which excludes
// /src/jit2. Reading uses the file's present folder; the file does not name it.
// The file may come from any source: the types of the fields for a link are
// checked, and a state whose output belongs to another folder is refused.
// libraryFolders() sorts, because the order of directory entries differs
// between systems.
//
//===----------------------------------------------------------------------===//
#include "State.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Output.h"
#include "kpack/Support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

static constexpr StringLiteral Mark = "{jit}";

static void replace(std::string &Text, StringRef Old, StringRef New) {
  Text = withFolder(std::move(Text), Old, New);
}

static void replace(std::vector<std::string> &Texts, StringRef Old,
                    StringRef New) {
  for (std::string &Text : Texts)
    replace(Text, Old, New);
}

static void replace(Record &R, StringRef Old, StringRef New) {
  for (std::string *Text : {&R.Source, &R.Output, &R.Directory})
    replace(*Text, Old, New);
  replace(R.Words, Old, New);
}

static void replace(LibraryState &S, StringRef Old, StringRef New) {
  for (std::string *Text : {&S.OutSo, &S.Directory, &S.Project})
    replace(*Text, Old, New);
  for (auto *Texts : {&S.Objects, &S.ArchFlags, &S.LinkWords})
    replace(*Texts, Old, New);
}

std::string LibraryState::folder() const {
  return TmpDir + "/" + sys::path::filename(OutSo).split(".so").first.str();
}

Error LibraryState::save() const {
  LibraryState S = *this;
  replace(S, TmpDir, Mark);
  json::Object Top{{"schema", "ck-jit-quick 1"},
                   {"out_so", S.OutSo},
                   {"all_objs", json::Array(S.Objects)},
                   {"arch_fl", json::Array(S.ArchFlags)},
                   {"link_argv", json::Array(S.LinkWords)},
                   {"cwd", S.Directory},
                   {"compiler", S.Compiler},
                   {"aiter_dir", S.Project},
                   {"rocm", S.RealRocm}};
  return writeOutput(folder() + "/" + StateFileName.str(),
                     formatv("{0:2}\n", json::Value(std::move(Top))).str());
}

static Expected<json::Value> readJson(const std::string &Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Path);
  if (!File)
    return objectError(Path, File.getError().message() +
                                 "; run 'ck-jit build full' first");
  Expected<json::Value> Value = json::parse((*File)->getBuffer());
  if (!Value)
    return objectError(Path, Value.takeError());
  return Value;
}

Expected<LibraryState> LibraryState::load(const std::string &Folder) {
  std::string Path = Folder + "/" + StateFileName.str();
  Expected<json::Value> Value = readJson(Path);
  if (!Value)
    return Value.takeError();
  LibraryState S;
  S.TmpDir = sys::path::parent_path(Folder).str();
  json::Path::Root Root;
  json::ObjectMapper Map(*Value, Root);
  bool Good =
      Map && Map.map("out_so", S.OutSo) && Map.map("all_objs", S.Objects) &&
      Map.map("arch_fl", S.ArchFlags) && Map.map("link_argv", S.LinkWords) &&
      Map.map("cwd", S.Directory) && Map.map("compiler", S.Compiler) &&
      Map.mapOptional("aiter_dir", S.Project) &&
      Map.mapOptional("rocm", S.RealRocm);
  replace(S, Mark, S.TmpDir);
  if (!Good || S.OutSo.empty() || S.Directory.empty() || S.Compiler.empty() ||
      S.folder() != Folder)
    return objectError(Path, "not what a full build has written; run 'ck-jit "
                             "build full' again");
  return S;
}

std::vector<std::string> ckjit::libraryFolders(const std::string &TmpDir) {
  std::vector<std::string> Folders;
  std::error_code Code;
  for (sys::fs::directory_iterator I(TmpDir, Code), End; I != End && !Code;
       I.increment(Code))
    if (sys::fs::exists(I->path() + "/" + StateFileName))
      Folders.push_back(I->path());
  sort(Folders);
  return Folders;
}

Error ckjit::saveRecords(const LibraryState &State, ArrayRef<Record> Records) {
  std::vector<std::string> All;
  for (Record R : Records) {
    replace(R, State.TmpDir, Mark);
    All.push_back(R.toJson());
  }
  return writeOutput(State.recordsFile(), jsonArray(All) + "\n");
}

Expected<std::vector<Record>> ckjit::loadRecords(const LibraryState &State) {
  Expected<std::vector<Record>> Records = readRecords(State.recordsFile());
  if (!Records)
    return Records.takeError();
  for (Record &R : *Records)
    replace(R, Mark, State.TmpDir);
  return Records;
}
