//===- CompileKey.cpp - cache keys of a compile ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/CompileKey.h"

#include "Jit/Service/CompilePlan.h"
#include "Jit/Service/CompileProtocol.h"
#include "Jit/Service/HostProcessor.h"
#include "Jit/Service/SourceText.h"
#include "Support/Files.h"

#include <algorithm>
#include <cstdlib>
#include <sys/stat.h>

using namespace kpack;
using namespace kpack::jit;

/// Variables with search paths. Keys of file lists and of precompiled headers
/// include them. The key of an object does not: it has the contents of the
/// files that were found.
static constexpr const char *SearchVariables[] = {
    "CPATH",        "C_INCLUDE_PATH",      "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH", "COMPILER_PATH",       "ROCM_PATH",
    "HIP_PATH",     "HIP_DEVICE_LIB_PATH", "GCC_EXEC_PREFIX"};
/// Variables that hold flags.
static constexpr const char *FlagVariables[] = {"CCC_OVERRIDE_OPTIONS",
                                                "LD_RUN_PATH"};

static std::string baseName(const std::string &Path) {
  return Path.substr(Path.rfind('/') + 1);
}

/// Returns true if \p LinkFlag is an object or static library. The key holds
/// its content, and its base name for its place among the flags.
static bool isInputFile(const std::string &LinkFlag) {
  size_t Size = LinkFlag.size();
  return Size > 2 && LinkFlag[0] != '-' &&
         (LinkFlag.compare(Size - 2, 2, ".a") == 0 ||
          LinkFlag.compare(Size - 2, 2, ".o") == 0);
}

/// Hashes the contents of all programs into one digest.
static Digest getDigest(const FileSet &Tools) {
  std::string All;
  for (const FileRecord &File : Tools.files())
    if (File.Use != FileUse::Linked)
      All += bytesOf(File.Hash);
  return sha256(All);
}

static void addVariable(KeyBuilder &Key, const char *Name) {
  if (const char *Value = ::getenv(Name))
    Key.add(std::string("environment ") + Name, Value);
}

static void addSearchVariables(KeyBuilder &Key) {
  for (const char *Name : SearchVariables)
    addVariable(Key, Name);
}

static void addDigest(KeyBuilder &Key, const std::string &Name,
                      const Digest &Hash) {
  Key.addDigest(Name, Hash, toHex(Hash).substr(0, 16));
}

/// Returns the constants before a text in readable form: "int a = 1; bool b =
/// true;".
static std::string shownConstants(const std::string &Before) {
  static constexpr std::string_view Head = "#line 1 \"constants\"\n",
                                    Start = "inline constexpr ";
  constexpr size_t Most = 160;
  size_t Offset = Before.find(Head);
  if (Offset == std::string::npos)
    return "none";
  std::string Shown;
  for (Offset += Head.size(); Offset < Before.size();) {
    size_t End = std::min(Before.find('\n', Offset), Before.size());
    std::string Line = Before.substr(Offset, End - Offset);
    Shown += (Shown.empty() ? "" : " ") +
             (startsWith(Line, Start) ? Line.substr(Start.size()) : Line);
    Offset = End + 1;
  }
  return Shown.size() > Most ? Shown.substr(0, Most) + "..." : Shown;
}

/// Adds the fields of a source in memory, except the text itself.
static void addText(KeyBuilder &Key, const CompileRequest &Request) {
  if (!Request.Text)
    return;
  const SourceText &Source = *Request.Text;
  Key.addDigest("constants", sha256(Source.Before),
                shownConstants(Source.Before));
  addDigest(Key, "entries", sha256(Source.After));
  for (const std::string &Entry : Request.Entries)
    Key.add("entry", Entry);
  for (const MemoryFile &Header : Source.Headers)
    addDigest(Key, "header " + Header.Name, sha256(Header.Text));
  if (mayShowItsName(Request))
    Key.add("name", Request.Source);
}

/// Adds the fields common to recipes, objects and precompiled headers.
/// \p Source is null for precompiled headers, which several sources share.
static void addCommon(KeyBuilder &Key, const CompileRequest &Request,
                      const FileSet &Tools, const Digest *Source) {
  Key.add("language", Request.Lang == Language::Hip ? "hip" : "c++")
      .add("target", Request.Target)
      .addDigest("compiler", getDigest(Tools), Tools.Note);
  // Shared objects had keys before there were other outputs.
  if (Request.Output == CompileOutput::CodeObject)
    Key.add("output", "code object");
  if (Request.Output == CompileOutput::Ptx)
    Key.add("output", "PTX");
  if (Source) {
    addDigest(Key, "source", *Source);
    addText(Key, Request);
    for (const std::string &Symbol : Request.Symbols)
      Key.add("symbol", Symbol);
  }
  for (const char *Name : FlagVariables)
    addVariable(Key, Name);
}

bool jit::dependsOnMachine(const CompileRequest &Request) {
  const char *Override = ::getenv("CCC_OVERRIDE_OPTIONS");
  auto Asks = [](const std::string &Flag) {
    return jit::asksForProcessor(Flag);
  };
  return (Override && jit::asksForProcessor(Override)) ||
         std::any_of(Request.Flags.begin(), Request.Flags.end(), Asks) ||
         std::any_of(Request.LinkFlags.begin(), Request.LinkFlags.end(), Asks);
}

/// Returns the working directory of the compile; the root for a source in
/// memory, so that the caller's relative paths lead nowhere.
static std::string getDirectory(const CompileRequest &Request) {
  return Request.Text                ? "/"
         : Request.Directory.empty() ? getFolder(Request.Source)
                                     : Request.Directory;
}

KeyRecord jit::recipeKey(const CompileRequest &Request, const Digest &Source,
                         const FileSet &Tools, const std::string &Machine) {
  KeyBuilder Key("kpack-jit recipe 2");
  addCommon(Key, Request, Tools, &Source);
  addSearchVariables(Key);
  Key.add("path", Request.Source).add("directory", Request.Directory);
  for (const std::string &Flag : Request.Flags)
    Key.add("flag", Flag);
  for (const std::string &Flag : Request.LinkFlags)
    Key.add("link-flag", Flag);
  // Each machine that shares a cache has a separate list.
  if (dependsOnMachine(Request))
    Key.add("machine", Machine);
  return Key.finish();
}

/// Adds the processors that the compiler detected: their names in readable
/// form, their many features as a hash.
static void addProcessors(KeyBuilder &Key, const FileSet &Headers) {
  for (const auto &[Name, Value] : Headers.facts())
    if (Name == "processor") {
      size_t Abilities =
          std::min({Value.find(" +"), Value.find(" -"), Value.size()});
      Digest Hash = sha256(Value);
      Key.addDigest("processor", Hash,
                    Value.substr(0, Abilities) + " " +
                        toHex(Hash).substr(0, 8));
    }
}

/// Returns \p Flag with the base name instead of the path if \p Files contains
/// the named file. Values of macros stay: the code may use them.
static std::string withoutFolder(const std::string &Flag,
                                 const std::string &Before,
                                 const std::string &Directory,
                                 const FileSet &Files) {
  auto Defines = [](const std::string &Word) {
    return Word.compare(0, 2, "-D") == 0 || Word.compare(0, 2, "-U") == 0;
  };
  size_t Equals = Flag.find('=');
  size_t Offset = Flag.compare(0, 1, "@") == 0  ? 1
                  : Equals == std::string::npos ? 0
                                                : Equals + 1;
  size_t Slash = Flag.rfind('/');
  if (Slash == std::string::npos || Slash < Offset || Defines(Flag) ||
      Before == "-D" || Before == "-U")
    return Flag;
  std::string Path = absolute(Flag.substr(Offset), Directory);
  bool IsKnown =
      std::any_of(Files.files().begin(), Files.files().end(),
                  [&](const FileRecord &F) { return F.Path == Path; });
  return IsKnown ? Flag.substr(0, Offset) + Flag.substr(Slash + 1) : Flag;
}

/// Adds flags without the folders of files that the key holds by content.
static void addFlags(KeyBuilder &Key, const char *Name,
                     const std::vector<std::string> &Flags,
                     const std::string &Directory, const FileSet &Files) {
  std::string Before;
  for (const std::string &Flag : flagsWithoutPaths(Flags)) {
    Key.add(Name, std::string_view(Name) == "link-flag" && isInputFile(Flag)
                      ? baseName(Flag)
                      : withoutFolder(Flag, Before, Directory, Files));
    Before = Flag;
  }
}

static void addFiles(KeyBuilder &Key, const char *Name, const FileSet &Files,
                     FileUse Use) {
  for (const FileRecord &File : Files.files())
    if (File.Use == Use)
      addDigest(Key, Name + baseName(File.Path), File.Hash);
}

KeyRecord jit::objectKey(const CompileRequest &Request, const Digest &Source,
                         const FileSet &Tools, const FileSet &Headers) {
  std::string Directory = getDirectory(Request);
  KeyBuilder Key("kpack-jit source 3");
  addCommon(Key, Request, Tools, &Source);
  if (!Headers.fact("dated").empty())
    addVariable(Key, "SOURCE_DATE_EPOCH");
  addProcessors(Key, Headers);
  addFlags(Key, "flag", Request.Flags, Directory, Headers);
  if (Request.Output == CompileOutput::SharedObject) {
    addFlags(Key, "link-flag", Request.LinkFlags, Directory, Tools);
    addFiles(Key, "link ", Tools, FileUse::Linked);
  }
  addFiles(Key, "named ", Headers, FileUse::Named);
  addFiles(Key, "include ", Headers, FileUse::Compiled);
  return Key.finish();
}

/// Returns true if \p Flag may make the compiler run other programs.
static bool choosesTools(const std::string &Flag) {
  for (std::string_view Start :
       {"-B", "-fno-integrated", "--config", "@", "-target", "--target",
        "--gcc-", "--sysroot", "-isysroot", "-m32", "--prefix", "-save-temps"})
    if (Flag.compare(0, Start.size(), Start) == 0)
      return true;
  return false;
}

/// Link flags select the linker; the language selects the device linker.
KeyRecord jit::toolsKey(const CompileRequest &Request) {
  KeyBuilder Key("kpack-jit tools 3");
  Key.add("compiler", Request.Compiler)
      .add("language", Request.Lang == Language::Hip ? "hip" : "c++")
      .add("directory", getDirectory(Request));
  for (const char *Name : FlagVariables)
    addVariable(Key, Name);
  addSearchVariables(Key);
  for (const std::string &Flag : Request.LinkFlags)
    Key.add("link-flag", Flag);
  for (size_t I = 0; I < Request.Flags.size(); ++I)
    if (choosesTools(Request.Flags[I]) ||
        (I && choosesTools(Request.Flags[I - 1])))
      Key.add("flag", Request.Flags[I]);
  return Key.finish();
}

static std::string getTime(const std::string &Path) {
  struct stat Info;
  return ::stat(Path.c_str(), &Info) == 0 ? std::to_string(Info.st_mtime) : "";
}

/// The compiler refuses precompiled headers if a header was written since, so
/// times are in the key.
KeyRecord jit::pchKey(const CompileRequest &Request, const FileSet &Tools,
                      const FileSet &Headers, const std::string &Preamble,
                      bool WithKernels) {
  KeyBuilder Key("kpack-jit pch 2");
  addCommon(Key, Request, Tools, nullptr);
  addSearchVariables(Key);
  addVariable(Key, "SOURCE_DATE_EPOCH");
  addProcessors(Key, Headers);
  Key.add("directory", Request.Directory)
      .add("folder", getFolder(Request.Source));
  for (const std::string &Flag : Request.Flags)
    Key.add("flag", Flag);
  for (const FileRecord &Header : Headers.files())
    Key.addDigest("include " + Header.Path, Header.Hash,
                  toHex(Header.Hash).substr(0, 16))
        .add("time", getTime(Header.Path));
  Key.add("kernels", WithKernels ? "yes" : "no");
  Key.add("preamble", Preamble);
  return Key.finish();
}

KeyRecord jit::requestKey(const CompileRequest &Request) {
  KeyBuilder Key("kpack-jit own 1");
  addDigest(Key, "request", sha256(encodeRequest(Request, "").encode()));
  return Key.finish();
}
