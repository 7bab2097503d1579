//===- CompilerArguments.cpp - parsed compiler command lines --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ClangOptions.h lists the options with values, and their forms. The order of
// the tests matters if one name is a prefix of another, like -include and
// -include-pch, or -o and -objcmt-...:
//   -Iinc -o a.o a.cpp    {-I, inc}  {-o, a.o}  {input, a.cpp}
//
// Response files are read with care: a pipe or a device named "@..." stays a
// word and cannot block, and depth, size and number of words are limited,
// because files may include each other. Paths are computed as text without
// following symbolic links: the file need not exist.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Intercept/CompilerArguments.h"

#include "Support/Files.h"
#include "Support/OptionsWithValues.h"
#include "kpack/Support/UniqueFd.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

using namespace kpack;
using namespace kpack::ckjit;

//===----------------------------------------------------------------------===//
// Response files
//===----------------------------------------------------------------------===//

/// Limit for the words of all response files together; no system passes longer
/// lines.
static constexpr size_t MaxWords = 4u << 20;
static constexpr unsigned MaxDepth = 32;
static constexpr off_t MaxFileSize = 256 << 20;

/// Returns nullopt if the argument stays a word.
static std::optional<std::string> readRegular(const std::string &Path) {
  UniqueFd File(::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat Info;
  if (!File || ::fstat(File.get(), &Info) != 0 || !S_ISREG(Info.st_mode) ||
      Info.st_size > MaxFileSize)
    return std::nullopt;
  return readToEnd(File.get());
}

static bool isSpace(char C) {
  return C == ' ' || C == '\t' || C == '\n' || C == '\r' || C == '\f' ||
         C == '\v';
}

/// Splits at spaces; quotes join, and a backslash keeps the next character,
/// also inside quotes.
static std::vector<std::string> splitWords(std::string_view Text) {
  std::vector<std::string> Tokens;
  std::string Word;
  bool InWord = false;
  char Quote = '\0';
  for (size_t I = 0; I != Text.size(); ++I) {
    char C = Text[I];
    if (!Quote && isSpace(C)) {
      if (InWord)
        Tokens.push_back(std::move(Word));
      Word.clear();
      InWord = false;
      continue;
    }
    InWord = true;
    if (C == '\\' && I + 1 != Text.size())
      Word += Text[++I];
    else if (Quote ? C == Quote : C == '"' || C == '\'')
      Quote = Quote ? '\0' : C;
    else
      Word += C;
  }
  if (InWord)
    Tokens.push_back(std::move(Word));
  return Tokens;
}

static Status expandInto(const std::vector<std::string> &Args, unsigned Depth,
                         std::vector<std::string> &Expanded) {
  for (const std::string &Word : Args) {
    std::optional<std::string> Text;
    if (Word.size() > 1 && Word[0] == '@')
      Text = readRegular(Word.substr(1));
    if (!Text) {
      Expanded.push_back(Word);
      continue;
    }
    if (Depth == MaxDepth || Expanded.size() > MaxWords)
      return Status(StatusCode::InvalidFormat,
                    Word.substr(1) + ": response files name each other without "
                                     "an end; break the circle");
    if (Status S = expandInto(splitWords(*Text), Depth + 1, Expanded); !S.ok())
      return S;
  }
  return Status::success();
}

Result<std::vector<std::string>>
ckjit::expandResponseFiles(const std::vector<std::string> &Args) {
  std::vector<std::string> Expanded;
  if (Status S = expandInto(Args, 0, Expanded); !S.ok())
    return S;
  return Expanded;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static bool startsWith(std::string_view Text, std::string_view Start) {
  return Text.substr(0, Start.size()) == Start;
}

/// Returns true for an option that takes the next word or has another option as
/// prefix.
static bool isOtherOption(std::string_view Word) {
  return clangoptions::has(Word, clangoptions::Separate) ||
         startsWith(Word, "-Xarch_") || startsWith(Word, "-objc");
}

static Argument parseOne(const std::vector<std::string> &Args, size_t Index) {
  const std::string &Word = Args[Index];
  Argument A;
  A.First = Index;
  if (Word.size() < 2 || Word[0] != '-') {
    A.Value = Word;
    return A;
  }
  auto TakeNext = [&] {
    if (Index + 1 == Args.size())
      return; // the compiler reports the missing value
    A.Value = Args[Index + 1];
    A.Count = 2;
  };
  A.Name = Word;
  if (isOtherOption(Word)) {
    if (!startsWith(Word, "-objc"))
      TakeNext();
    return A;
  }
  for (unsigned Form : {clangoptions::Joined, clangoptions::Equals})
    if (std::string_view Name = clangoptions::withValue(Word, Form);
        !Name.empty()) {
      A.Name = Name;
      A.Value = Word.substr(Name.size() + (Form == clangoptions::Equals));
      break;
    }
  return A;
}

std::vector<Argument>
ckjit::parseArguments(const std::vector<std::string> &Args) {
  std::vector<Argument> Arguments;
  bool OnlyInputs = false;
  for (size_t I = 0; I < Args.size();) {
    if (OnlyInputs) {
      Arguments.push_back({"", Args[I], I, 1});
    } else {
      Arguments.push_back(parseOne(Args, I));
      OnlyInputs = Arguments.back().Name == "--";
    }
    I += Arguments.back().Count;
  }
  return Arguments;
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

std::string ckjit::absolutePath(std::string_view Path,
                                std::string_view Directory) {
  std::filesystem::path All("/");
  All = (All / Directory / Path).lexically_normal();
  // Remove a trailing slash of a folder.
  return All.has_filename() || All == "/" ? All : All.parent_path();
}

std::string_view ckjit::fileName(std::string_view Path) {
  return Path.substr(Path.rfind('/') + 1);
}

std::string_view ckjit::fileStem(std::string_view Path) {
  std::string_view Name = fileName(Path);
  return Name.substr(0, Name.rfind('.'));
}
