//===- LinkedFiles.cpp - files that a link copies code from ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files are classified by content, since a "libm.so" may be a linker script.
//
//===----------------------------------------------------------------------===//
#include "LinkedFiles.h"

#include "CompileJob.h"
#include "ObjectFile.h"

#include "Support/Numbers.h"

#include <algorithm>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

static constexpr std::string_view ThinMagic = "!<thin>\n";

Arguments jit::linkedFilesCommand(const CompileRequest &Request,
                                  const std::string &RuleFile,
                                  const std::string &Output) {
  Arguments Command{Request.Compiler,
                    "-shared",
                    "-fPIC",
                    "-Qunused-arguments",
                    "-o",
                    Output,
                    "/dev/null", // with -nostdlib there would be no input file
                    "-Wl,--allow-shlib-undefined"};
  Command.insert(Command.end(), Request.LinkFlags.begin(),
                 Request.LinkFlags.end());
  // Without the kernel, symbols that flags refer to may be undefined.
  Command.insert(Command.end(), {"-Wl,--noinhibit-exec", "-Xlinker",
                                 "--dependency-file=" + RuleFile});
  return Command;
}

/// Returns the path in a line of a rule: lld escapes it for make, GNU ld and
/// gold write spaces and dollars as they are.
static std::string pathOf(const std::string &Line, const std::string &Base) {
  std::string Path = absolute(Line, Base);
  if (::access(Path.c_str(), F_OK) == 0)
    return Path;
  std::vector<std::string> Files = filesOfMakeRule(": " + Line);
  return Files.size() == 1 ? absolute(Files.front(), Base) : Path;
}

/// All linkers write a line for each file, after a line with the target.
static std::vector<std::string> getPaths(const std::string &Rule,
                                         const std::string &Base) {
  std::vector<std::string> Paths;
  for (size_t Offset = Rule.find('\n'); Offset < Rule.size();) {
    size_t Start = Rule.find_first_not_of(' ', Offset + 1);
    size_t End = std::min(Rule.find('\n', Offset + 1), Rule.size());
    if (Start >= End)
      break;
    bool GoesOn = Rule[End - 1] == '\\';
    std::string Line = Rule.substr(Start, End - Start - GoesOn);
    Line.erase(Line.find_last_not_of(' ') + 1);
    if (!Line.empty())
      Paths.push_back(pathOf(Line, Base));
    Offset = GoesOn ? End : Rule.size();
  }
  return Paths;
}

Status jit::silentLinker(const CompileRequest &Request) {
  return Status(StatusCode::InvalidArgument,
                Request.Compiler +
                    ": its linker does not say which files it reads, which "
                    "belong to a kernel's key; link with lld (-fuse-ld=lld), "
                    "or GNU ld 2.35 or later");
}

Result<std::vector<std::string>> jit::linkedFiles(const CompileRequest &Request,
                                                  const std::string &Rule) {
  std::vector<std::string> Opened = getPaths(Rule, Request.Directory);
  // At least /dev/null is listed.
  if (Opened.empty())
    return silentLinker(Request);
  std::vector<std::string> Files;
  for (const std::string &Path : Opened) {
    if (Path == "/dev/null" || isSharedObject(readContent(Path, 64)))
      continue;
    addOnce(Files, Path);
    if (readContent(Path, ThinMagic.size()) != ThinMagic)
      continue;
    Result<std::string> Archive = readFile(Path);
    if (!Archive)
      return Archive.status();
    Result<std::vector<std::string>> Members = thinMembers(*Archive);
    if (!Members)
      return Status(Members.status().code(),
                    Path + ": " + Members.status().message());
    std::string Folder = Path.substr(0, Path.rfind('/') + 1);
    // A missing member is unused, or the link fails.
    for (const std::string &Member : *Members)
      if (std::string File = absolute(Member, Folder);
          ::access(File.c_str(), F_OK) == 0)
        addOnce(Files, std::move(File));
  }
  return Files;
}

namespace {

/// The header of an archive member; all fields are text.
struct MemberHeader {
  explicit MemberHeader(std::string_view Bytes)
      : Name(trimmed(Bytes.substr(0, 16))), Size(trimmed(Bytes.substr(48, 10))),
        End(Bytes.substr(58, 2)) {}

  static std::string_view trimmed(std::string_view Text) {
    return Text.substr(0, Text.find_last_not_of(' ') + 1);
  }

  static constexpr size_t Length = 60;
  std::string_view Name, Size, End;
};

} // namespace

Result<std::vector<std::string>> jit::thinMembers(std::string_view Archive) {
  std::vector<std::string> Members;
  if (Archive.substr(0, ThinMagic.size()) != ThinMagic)
    return Members;
  Status Damaged(StatusCode::InvalidFormat,
                 "the thin archive is damaged; make it again");
  std::string_view LongNames;
  Archive.remove_prefix(ThinMagic.size());
  while (!Archive.empty()) {
    if (Archive.size() < MemberHeader::Length)
      return Damaged;
    MemberHeader Header(Archive);
    Archive.remove_prefix(MemberHeader::Length);
    auto Size = parseNumber<uint64_t>(Header.Size);
    if (!Size || Header.End != "`\n")
      return Damaged;
    // A thin archive contains only symbols and long names itself.
    if (Header.Name == "/" || Header.Name == "/SYM64/" || Header.Name == "//") {
      if (*Size > Archive.size())
        return Damaged;
      if (Header.Name == "//")
        LongNames = Archive.substr(0, *Size);
      uint64_t Padded = *Size + *Size % 2;
      Archive.remove_prefix(std::min<uint64_t>(Padded, Archive.size()));
      continue;
    }
    std::string_view Name = Header.Name;
    if (Name.substr(0, 1) == "/") {
      // "/12", or "/12:345" for a member of a nested archive
      auto Offset = parseNumber<uint64_t>(Name.substr(1, Name.find(':') - 1));
      if (!Offset || *Offset >= LongNames.size())
        return Damaged;
      Name = LongNames.substr(*Offset);
      Name = Name.substr(0, Name.find('\n'));
    }
    if (!Name.empty() && Name.back() == '/')
      Name.remove_suffix(1);
    if (Name.empty())
      return Damaged;
    Members.emplace_back(Name);
  }
  return Members;
}
