//===- SourceText.cpp - source text that is compiled from memory ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words decide whether a text reads anything else; we run no preprocessor. A
// comment with the word "include" costs a scan and no more. A macro for
// "include" is found too, since its definition has the word.
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/SourceText.h"

#include "Jit/Service/CompilePlan.h"

#include <algorithm>
#include <bitset>
#include <cctype>
#include <cstdlib>

using namespace kpack;
using namespace kpack::jit;

static Status invalid(const CompileRequest &Request, const std::string &Why) {
  return Status(StatusCode::InvalidArgument, Request.Name + ": " + Why);
}

static bool isOneLine(const std::string &Name) {
  return !Name.empty() &&
         std::none_of(Name.begin(), Name.end(), [](unsigned char C) {
           return C < ' ' || C == '"' || C == '\\' || C == 0x7f;
         });
}

/// Accepts relative names without "..".
static bool isHeaderName(const std::string &Name) {
  if (!isOneLine(Name) || Name[0] == '/' || Name.back() == '/')
    return false;
  std::string Whole = "/" + Name + "/";
  return Whole.find("//") == std::string::npos &&
         Whole.find("/./") == std::string::npos &&
         Whole.find("/../") == std::string::npos &&
         Name.find('>') == std::string::npos;
}

/// Constant, because it is in the symbol table.
static std::string fileName(const CompileRequest &Request) {
  return Request.Lang == Language::Hip ? "source.hip" : "source.cpp";
}

Status jit::checkText(const CompileRequest &Request) {
  if (!isOneLine(Request.Source))
    return invalid(Request, "the name of its source is empty or has quotes, "
                            "backslashes or more than one line");
  std::vector<std::string> Names{fileName(Request)};
  for (const MemoryFile &Header : Request.Text->Headers) {
    if (!isHeaderName(Header.Name))
      return invalid(Request, "'" + Header.Name +
                                  "' is no name for a header in memory; give "
                                  "one that is relative and has no '..'");
    if (std::find(Names.begin(), Names.end(), Header.Name) != Names.end())
      return invalid(Request, "'" + Header.Name +
                                  "' is given twice, or is the name of the "
                                  "source itself");
    Names.push_back(Header.Name);
  }
  return Status::success();
}

std::string jit::wholeText(const CompileRequest &Request) {
  const SourceText &Source = *Request.Text;
  return Source.Before + "\n#line 1 \"" + Request.Source + "\"\n" +
         Source.Text + "\n" + Source.After;
}

std::vector<MemoryFile> jit::filesOfText(const CompileRequest &Request) {
  std::vector<MemoryFile> Files{{fileName(Request), wholeText(Request)}};
  Files.insert(Files.end(), Request.Text->Headers.begin(),
               Request.Text->Headers.end());
  return Files;
}

CompileRequest jit::placedIn(const CompileRequest &Request,
                             const std::string &Folder) {
  CompileRequest Placed = Request;
  Placed.Text.reset();
  Placed.Source = fileName(Request);
  Placed.Directory = Folder;
  Placed.Flags.insert(Placed.Flags.end(), {"-I.", "-ffile-compilation-dir=."});
  return Placed;
}

/// Returns true for flags that neither name a file nor cause a search for one.
static bool readsNothing(const std::string &Flag) {
  static constexpr std::string_view Starts[] = {
      "-O",          "-std=",        "-D",
      "-U",          "-W",           "-w",
      "-march=",     "-mtune=",      "-mcpu=",
      "-ffast-math", "-fno-",        "-ffp-",
      "-g",          "-fvisibility", "-nogpu",
      "-pthread",    "-fPIC",        "-mcode-object",
      "-munsafe-fp", "-fgpu-flush",  "-fdebug-default"};
  return Flag.find('@') == std::string::npos &&
         std::any_of(
             std::begin(Starts), std::end(Starts),
             [&](std::string_view Start) { return startsWith(Flag, Start); }) &&
         !startsWith(Flag, "-gcc") && !startsWith(Flag, "-fno-integrated") &&
         !startsWith(Flag, "-gsplit") && !startsWith(Flag, "-Wl,") &&
         !startsWith(Flag, "-Wa,") && !startsWith(Flag, "-Wp,");
}

static bool has(const std::vector<std::string> &Flags, const char *Wanted) {
  return std::find(Flags.begin(), Flags.end(), Wanted) != Flags.end();
}

/// Returns true if \p Is holds for any part of the source.
template <typename Function>
static bool anyPart(const SourceText &Source, Function Is) {
  return Is(Source.Before) || Is(Source.Text) || Is(Source.After) ||
         std::any_of(Source.Headers.begin(), Source.Headers.end(),
                     [&](const MemoryFile &Header) { return Is(Header.Text); });
}

/// Returns true if a line is continued, which may split a word.
static bool hasSplice(const std::string &Text) {
  for (size_t Offset = 0;
       (Offset = Text.find('\\', Offset)) != std::string::npos; ++Offset)
    if (Offset + 1 < Text.size() &&
        std::isspace((unsigned char)Text[Offset + 1]))
      return true;
  return false;
}

/// Searches all words in one pass and compares only where the first two letters
/// match: texts of graphs have 100 KB and more, and each compile calls this.
template <size_t Count>
static bool hasWord(const SourceText &Source,
                    const std::string_view (&Candidates)[Count]) {
  auto PairAt = [](std::string_view Text, size_t Offset) {
    return static_cast<unsigned char>(Text[Offset]) << 8 |
           static_cast<unsigned char>(Text[Offset + 1]);
  };
  bool First[256] = {};
  std::bitset<1 << 16> Begins;
  for (std::string_view Word : Candidates) {
    First[static_cast<unsigned char>(Word[0])] = true;
    Begins.set(PairAt(Word, 0));
  }
  return anyPart(Source, [&](std::string_view Text) {
    for (size_t Offset = 0; Offset + 1 < Text.size(); ++Offset)
      if (First[static_cast<unsigned char>(Text[Offset])] &&
          Begins[PairAt(Text, Offset)] &&
          std::any_of(std::begin(Candidates), std::end(Candidates),
                      [Rest = Text.substr(Offset)](std::string_view Word) {
                        return startsWith(Rest, Word);
                      }))
        return true;
    return false;
  });
}

bool jit::isSelfContained(const CompileRequest &Request) {
  static constexpr std::string_view Readers[] = {
      "include", "embed",    "import",   "module",        "dependency",
      "incbin",  "__DATE__", "__TIME__", "__TIMESTAMP__", "?\?/"};
  if (!Request.Text || hasWord(*Request.Text, Readers) ||
      anyPart(*Request.Text, hasSplice) || ::getenv("CCC_OVERRIDE_OPTIONS"))
    return false;
  // Otherwise the compile reads clang's HIP header and the device libraries.
  if (Request.Lang == Language::Hip &&
      (!has(Request.Flags, "-nogpuinc") || !has(Request.Flags, "-nogpulib")))
    return false;
  return std::all_of(Request.Flags.begin(), Request.Flags.end(), readsNothing);
}

bool jit::mayShowItsName(const CompileRequest &Request) {
  static constexpr std::string_view Candidates[] = {"__FILE__",
                                                    "__FILE_NAME__",
                                                    "__BASE_FILE__",
                                                    "__builtin_FILE",
                                                    "__builtin_source_location",
                                                    "source_location"};
  return !isSelfContained(Request) || hasWord(*Request.Text, Candidates) ||
         std::any_of(Request.Flags.begin(), Request.Flags.end(),
                     [](const std::string &Flag) {
                       return startsWith(Flag, "-g") ||
                              startsWith(Flag, "-fsanitize");
                     });
}
