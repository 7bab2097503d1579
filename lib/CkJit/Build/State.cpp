//===- State.cpp - what is kept of a linked library -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tmp folder is replaced wherever a text mentions it, not only where a word
// begins with it, since options have paths in their middle:
//   -Wl,-rpath,/src/jit/x        -Wl,-rpath,{jit}/x
// A mention counts only if a slash or the end of the text follows, which leaves
// /src/jit2 alone. Reading takes the folder from where the file is now; the
// file itself does not name it. The file may be of any origin: the fields
// that a link needs are checked for their type, and a state whose output
// belongs to another folder is refused. libraryFolders() sorts, because the
// order of a directory's entries is not the same everywhere.
//
//===----------------------------------------------------------------------===//
#include "State.h"
#include "kpack/Support/Json.h"
#include "kpack/ToolSupport/Errors.h"
#include "kpack/ToolSupport/Output.h"
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

static std::string replaced(std::string Text, StringRef From, StringRef To) {
  return withFolder(std::move(Text), From, To);
}

static std::vector<std::string> replaced(std::vector<std::string> Texts,
                                         StringRef From, StringRef To) {
  for (std::string &Text : Texts)
    Text = withFolder(std::move(Text), From, To);
  return Texts;
}

static Record replaced(Record R, StringRef From, StringRef To) {
  R.Source = replaced(std::move(R.Source), From, To);
  R.Output = replaced(std::move(R.Output), From, To);
  R.Directory = replaced(std::move(R.Directory), From, To);
  R.Words = replaced(std::move(R.Words), From, To);
  return R;
}

std::string LibraryState::folder() const {
  return TmpDir + "/" + sys::path::filename(OutSo).split(".so").first.str();
}

Error ckjit::writeText(const std::string &Path, StringRef Text) {
  return writeOutput(Path, Text);
}

Error LibraryState::save() const {
  auto Portable = [&](const std::vector<std::string> &Texts) {
    return json::Array(replaced(Texts, TmpDir, Mark));
  };
  json::Object Top{{"schema", "ck-jit-quick 1"},
                   {"out_so", replaced(OutSo, TmpDir, Mark)},
                   {"all_objs", Portable(Objects)},
                   {"arch_fl", Portable(ArchFlags)},
                   {"link_argv", Portable(LinkWords)},
                   {"cwd", replaced(Directory, TmpDir, Mark)},
                   {"compiler", Compiler},
                   {"aiter_dir", replaced(Project, TmpDir, Mark)},
                   {"rocm", RealRocm}};
  return writeText(folder() + "/" + StateFileName.str(),
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
  const json::Object *Top = Value->getAsObject();
  bool Good = Top;
  auto Text = [&](StringRef Name) {
    std::optional<StringRef> Found = Top ? Top->getString(Name) : std::nullopt;
    Good &= Found && !Found->empty();
    return replaced(Found.value_or("").str(), Mark, S.TmpDir);
  };
  auto List = [&](StringRef Name) {
    std::vector<std::string> Texts;
    const json::Array *Found = Top ? Top->getArray(Name) : nullptr;
    Good &= Found != nullptr;
    for (const json::Value &Item : Found ? *Found : json::Array())
      if (std::optional<StringRef> Word = Item.getAsString())
        Texts.push_back(replaced(Word->str(), Mark, S.TmpDir));
      else
        Good = false;
    return Texts;
  };
  S.OutSo = Text("out_so");
  S.Objects = List("all_objs");
  S.ArchFlags = List("arch_fl");
  S.LinkWords = List("link_argv");
  S.Directory = Text("cwd");
  S.Compiler = Text("compiler");
  bool HasAll = Good;
  S.Project = Text("aiter_dir");
  S.RealRocm = Text("rocm");
  Good = HasAll; // those two may be empty
  if (!Good || S.folder() != Folder)
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

Error ckjit::saveRecords(const LibraryState &Of, ArrayRef<Record> Records) {
  std::vector<std::string> All;
  for (const Record &R : Records)
    All.push_back(replaced(R, Of.TmpDir, Mark).toJson());
  return writeText(Of.recordsFile(), jsonArray(All) + "\n");
}

Expected<std::vector<Record>> ckjit::loadRecords(const LibraryState &Of) {
  Expected<std::vector<Record>> Records = readRecords(Of.recordsFile());
  if (!Records)
    return Records.takeError();
  for (Record &R : *Records)
    R = replaced(std::move(R), Mark, Of.TmpDir);
  return Records;
}
