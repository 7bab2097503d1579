//===- Records.cpp - compile flags from a build's records -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record keeps the build's words; flags() derives the flags of another
// compile, in another folder and for another output:
//   hipcc -c a.cpp -o a.o -MD -Iinc -O3    in /b
//   -x hip -I/b/inc -O3
// A name after an -i option (-include config.h) may be one that the compiler
// searches for, so it is made absolute only if that file exists. CMake's
// precompiled headers are replaced by the header itself, because only the
// compiler that made one can read it.
//
// The file grows with every build in the same folder. The last record of an
// output replaces the first in place, so the order stays the same.
//
//===----------------------------------------------------------------------===//
#include "Records.h"
#include "CkJit/Intercept/CompilerArguments.h"
#include "Support/OptionsWithValues.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
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
  return clangoptions::has(std::string_view(Option), clangoptions::Path);
}

/// Returns true for options about the output, not the code.
static bool isAboutOutput(StringRef Option) {
  return is_contained<StringRef>({"-c", "--compile", "-o", "--output", "--",
                                  "-MD", "-MMD", "-MP", "-MF", "-MT", "-MQ",
                                  "-MJ"},
                                 Option);
}

/// Removes CMake's precompiled headers, "-Xclang -include-pch -Xclang x.hxx.pch
/// -Xclang -include -Xclang x.hxx", which only the build's compiler can read.
/// Without the first pair the header itself is read.
static std::vector<std::string>
withoutPrecompiled(std::vector<std::string> Command) {
  for (size_t I = 0; I + 8 <= Command.size(); ++I)
    if (Command[I] == "-Xclang" && Command[I + 1] == "-include-pch" &&
        Command[I + 4] == "-Xclang" && Command[I + 5] == "-include" &&
        Command[I + 3] == Command[I + 7] + ".pch")
      Command.erase(Command.begin() + I, Command.begin() + I + 4);
  return Command;
}

std::vector<std::string> Record::flags() const {
  std::vector<std::string> Flags;
  bool SaysLanguage = false;
  std::vector<std::string> Command = withoutPrecompiled(this->Words);
  for (const Argument &A : parseArguments(Command)) {
    SaysLanguage |= A.Name == "-x";
    if (A.isInput() || isAboutOutput(A.Name))
      continue;
    if (!hasPath(A.Name)) {
      Flags.insert(Flags.end(), Command.begin() + A.First,
                   Command.begin() + A.First + A.Count);
      continue;
    }
    std::string Path = absolutePath(A.Value, Directory);
    // An included name may be one that the compiler searches for.
    if (StringRef(A.Name).starts_with("-i") && !sys::fs::exists(Path))
      Path = A.Value;
    const std::string &Word = Command[A.First];
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

static Expected<std::vector<Record>> recordsIn(StringRef Where,
                                               StringRef Text) {
  Result<Manifest> Read = Manifest::parse(std::string_view(Text), Where.str(),
                                          "remove the file and build again");
  if (!Read)
    return toError(Read.status());
  std::vector<Record> Records;
  for (ManifestEntry &Entry : Read->Entries) {
    if (!Entry.HasWords || Entry.Source.empty() || Entry.Output.empty() ||
        Entry.Directory.empty())
      return objectError(Where,
                         "an entry without \"source\", \"output\", \"cwd\" or "
                         "\"argv\"; remove the file and build again");
    Records.push_back({std::move(Entry)});
  }
  return std::move(Records);
}

Expected<Record> ckjit::parseRecord(StringRef Where, StringRef Line) {
  Expected<std::vector<Record>> Records = recordsIn(Where, Line);
  if (!Records)
    return Records.takeError();
  if (Records->size() != 1)
    return objectError(Where, "has " + Twine(Records->size()) +
                                  " records; remove the file and build again");
  return std::move(Records->front());
}

Expected<std::vector<Record>> ckjit::readRecords(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!File)
    return objectError(Path, File.getError().message() +
                                 "; build with ck-jit-hipcc first");
  Expected<std::vector<Record>> All = recordsIn(Path, (*File)->getBuffer());
  if (!All)
    return All.takeError();
  std::vector<Record> Records;
  StringMap<size_t> ByOutput;
  for (Record &R : *All) {
    auto [Place, IsNew] =
        ByOutput.try_emplace(R.absoluteOutput(), Records.size());
    if (IsNew)
      Records.push_back(std::move(R));
    else
      Records[Place->second] = std::move(R);
  }
  return std::move(Records);
}
