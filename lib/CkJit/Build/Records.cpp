//===- Records.cpp - what a build has recorded ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record keeps the words as the build has given them; flags() derives from
// them what another compile needs, in another folder and for another output:
//   hipcc -c a.cpp -o a.o -MD -Iinc -O3    in /b
//   -x hip -I/b/inc -O3
// A name behind an -i option (-include config.h) may be one that the compiler
// searches for, so it is made absolute only if that file is there. CMake's
// precompiled headers are replaced by the header itself, because only the
// compiler that has made one can read it.
//
// The file grows with every build in the same folder. The last record for an
// output counts, and takes the place of the first, so the order stays the same.
//
//===----------------------------------------------------------------------===//
#include "Records.h"
#include "kpack/CkJit/Intercept/CommandLine.h"
#include "kpack/ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

std::string Record::absoluteSource() const {
  return absolutePath(Source, Directory);
}
std::string Record::absoluteOutput() const {
  return absolutePath(Output, Directory);
}

bool ckjit::isHipCompiler(StringRef Compiler) {
  return sys::path::filename(Compiler).contains("hipcc");
}

bool ckjit::isClang(StringRef Compiler) {
  return isHipCompiler(Compiler) ||
         sys::path::filename(Compiler).contains("clang");
}

bool ckjit::hasPath(StringRef Option) {
  return is_contained<StringRef>(
      {"-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros",
       "-include-pch", "-isysroot", "--sysroot", "-L", "-cxx-isystem",
       "--include-directory", "-B", "--rocm-path", "--hip-path",
       "--rocm-device-lib-path", "-F"},
      Option);
}

/// What is about the object and not about the code.
static bool isAboutOutput(StringRef Option) {
  return is_contained<StringRef>({"-c", "--compile", "-o", "--output", "--",
                                  "-MD", "-MMD", "-MP", "-MF", "-MT", "-MQ",
                                  "-MJ"},
                                 Option);
}

/// CMake's precompiled headers, "-Xclang -include-pch -Xclang x.hxx.pch -Xclang
/// -include -Xclang x.hxx", are of the build's compiler alone. Without the
/// first two the header itself is read.
static std::vector<std::string>
withoutPrecompiled(std::vector<std::string> Words) {
  for (size_t I = 0; I + 8 <= Words.size(); ++I)
    if (Words[I] == "-Xclang" && Words[I + 1] == "-include-pch" &&
        Words[I + 4] == "-Xclang" && Words[I + 5] == "-include" &&
        Words[I + 3] == Words[I + 7] + ".pch")
      Words.erase(Words.begin() + I, Words.begin() + I + 4);
  return Words;
}

std::vector<std::string> Record::flags() const {
  std::vector<std::string> Flags;
  bool SaysLanguage = false;
  std::vector<std::string> Words = withoutPrecompiled(this->Words);
  for (const Argument &A : parseArguments(Words)) {
    SaysLanguage |= A.Name == "-x";
    if (A.isInput() || isAboutOutput(A.Name))
      continue;
    if (!hasPath(A.Name)) {
      Flags.insert(Flags.end(), Words.begin() + A.First,
                   Words.begin() + A.First + A.Count);
      continue;
    }
    std::string Path = absolutePath(A.Value, Directory);
    // An included name may be one that is searched for.
    if (StringRef(A.Name).starts_with("-i") && !sys::fs::exists(Path))
      Path = A.Value;
    const std::string &Word = Words[A.First];
    if (A.Count == 2) {
      Flags.push_back(A.Name);
      Flags.push_back(Path);
    } else {
      Flags.push_back(Word.substr(0, Word.size() - A.Value.size()) + Path);
    }
  }
  if (isHipCompiler(Compiler) && !SaysLanguage)
    Flags.insert(Flags.begin(), {"-x", "hip"});
  return Flags;
}

json::Value Record::toJson() const {
  return json::Object{
      {"source", Source},     {"output", Output},
      {"cwd", Directory},     {"kind", IsDispatcher ? "dispatcher" : "blob"},
      {"api_kind", ApiKind},  {"module", Module},
      {"compiler", Compiler}, {"argv", json::Array(Words)}};
}

static Expected<Record> readOne(StringRef Path, const json::Value &Value) {
  const json::Object *Object = Value.getAsObject();
  const json::Array *Words = Object ? Object->getArray("argv") : nullptr;
  auto Text = [&](StringRef Name) {
    return Object ? Object->getString(Name).value_or("").str() : "";
  };
  Record R{Text("source"),
           Text("output"),
           Text("cwd"),
           {},
           Text("kind") == "dispatcher",
           Text("api_kind"),
           Text("module"),
           Text("compiler")};
  if (!Words || R.Source.empty() || R.Output.empty() || R.Directory.empty())
    return objectError(Path, "an entry without \"source\", \"output\", \"cwd\" "
                             "or \"argv\"; remove the file and build again");
  for (const json::Value &Word : *Words) {
    if (!Word.getAsString())
      return objectError(Path, "\"argv\" of " + R.Source +
                                   " is no list of texts; remove the file and "
                                   "build again");
    R.Words.push_back(Word.getAsString()->str());
  }
  return R;
}

Expected<Record> ckjit::parseRecord(StringRef Where, StringRef Line) {
  Expected<json::Value> Value = json::parse(Line);
  if (!Value)
    return objectError(Where, toString(Value.takeError()) +
                                  "; remove the file and build again");
  return readOne(Where, *Value);
}

Expected<std::vector<Record>> ckjit::readRecords(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!File)
    return objectError(Path, File.getError().message() +
                                 "; build with ck-jit-hipcc first");
  std::vector<Record> Records;
  StringMap<size_t> ByOutput;
  auto Add = [&](const json::Value &Value) -> Error {
    Expected<Record> R = readOne(Path, Value);
    if (!R)
      return R.takeError();
    auto [Place, IsNew] =
        ByOutput.try_emplace(R->absoluteOutput(), Records.size());
    if (IsNew)
      Records.push_back(std::move(*R));
    else
      Records[Place->second] = std::move(*R);
    return Error::success();
  };
  StringRef Text = (*File)->getBuffer();
  unsigned Number = 0;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    ++Number;
    if (Line.trim().empty())
      continue;
    Expected<json::Value> Value = json::parse(Line);
    if (!Value)
      return objectError((Path + ":" + Twine(Number)).str(), Value.takeError());
    const json::Array *All = Value->getAsArray();
    if (!All) {
      if (Error E = Add(*Value))
        return std::move(E);
      continue;
    }
    for (const json::Value &Item : *All)
      if (Error E = Add(Item))
        return std::move(E);
  }
  return Records;
}
