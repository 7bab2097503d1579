//===- SourceCache.cpp - sources through the cache ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SourceCache.h; the fields are listed in docs/format/jit-cache.md, "Key of
// a source".
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/SourceCache.h"

#include "CompilePlan.h"
#include "Failures.h"
#include "Preamble.h"
#include "VariantsOnly.h"
#include "kpack/Jit/FileSet.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

/// Variables that change what a compiler does.
static constexpr const char *Variables[] = {"CPATH",
                                            "C_INCLUDE_PATH",
                                            "CPLUS_INCLUDE_PATH",
                                            "LIBRARY_PATH",
                                            "CCC_OVERRIDE_OPTIONS",
                                            "COMPILER_PATH",
                                            "ROCM_PATH",
                                            "HIP_PATH",
                                            "HIP_DEVICE_LIB_PATH",
                                            "SOURCE_DATE_EPOCH",
                                            "GCC_EXEC_PREFIX"};

/// Everything that a key is made of but the request itself.
class SourceCache::Inputs {
public:
  Digest Source{};
  FileSet Tools;
  FileSet Headers;
};

static std::string baseName(const std::string &Path) {
  return Path.substr(Path.rfind('/') + 1);
}

static std::string folderOf(const std::string &Path) {
  return Path.substr(0, Path.rfind('/'));
}

/// What a link takes as it is: it is in the key by content, and by its name for
/// the order among other flags.
static bool isInputFile(const std::string &LinkFlag) {
  const size_t Size = LinkFlag.size();
  return Size > 2 && LinkFlag[0] != '-' &&
         (LinkFlag.compare(Size - 2, 2, ".a") == 0 ||
          LinkFlag.compare(Size - 2, 2, ".o") == 0);
}

/// The content of all programs as one value.
static Digest digestOf(const FileSet &Tools) {
  std::string All;
  for (const FileRecord &File : Tools.files())
    if (!File.Linked)
      All.append(reinterpret_cast<const char *>(File.Hash.data()),
                 File.Hash.size());
  return sha256(All);
}

static void addEnvironment(KeyBuilder &Key) {
  for (const char *Name : Variables)
    if (const char *Value = ::getenv(Name))
      Key.add(std::string("environment ") + Name, Value);
}

/// What recipe, object and precompiled headers depend on; the latter on no one
/// source.
static void addCommon(KeyBuilder &Key, const CompileRequest &Request,
                      const FileSet &Tools, const Digest *Source) {
  Key.add("language", Request.Lang == Language::Hip ? "hip" : "c++")
      .add("target", Request.Target)
      .addDigest("compiler", digestOf(Tools), Tools.Note);
  if (Source) {
    Key.addDigest("source", *Source, toHex(*Source).substr(0, 16));
    for (const std::string &Symbol : Request.Symbols)
      Key.add("symbol", Symbol);
  }
  addEnvironment(Key);
}

/// Names the list of headers: whatever decides where they are looked for.
static KeyRecord recipeKey(const CompileRequest &Request, const Digest &Source,
                           const FileSet &Tools) {
  KeyBuilder Key("kpack-jit recipe 1");
  addCommon(Key, Request, Tools, &Source);
  Key.add("path", Request.Source).add("directory", Request.Directory);
  for (const std::string &Flag : Request.Flags)
    Key.add("flag", Flag);
  for (const std::string &Flag : Request.LinkFlags)
    Key.add("link-flag", Flag);
  return Key.finish();
}

static KeyRecord objectKey(const CompileRequest &Request, const Digest &Source,
                           const FileSet &Tools, const FileSet &Headers) {
  KeyBuilder Key("kpack-jit source 3");
  addCommon(Key, Request, Tools, &Source);
  for (const std::string &Flag : flagsWithoutPaths(Request.Flags))
    Key.add("flag", Flag);
  for (const std::string &Flag : flagsWithoutPaths(Request.LinkFlags))
    Key.add("link-flag", isInputFile(Flag) ? baseName(Flag) : Flag);
  for (const FileRecord &File : Tools.files())
    if (File.Linked)
      Key.addDigest("link " + baseName(File.Path), File.Hash,
                    toHex(File.Hash).substr(0, 16));
  for (const FileRecord &Header : Headers.files())
    Key.addDigest("include " + baseName(Header.Path), Header.Hash,
                  toHex(Header.Hash).substr(0, 16));
  return Key.finish();
}

/// Names the list of programs and linked files: whatever decides where they
/// are looked for. The link's flags choose the linker, the language the
/// device's.
static KeyRecord toolsKey(const CompileRequest &Request) {
  KeyBuilder Key("kpack-jit tools 2");
  Key.add("compiler", Request.Compiler)
      .add("language", Request.Lang == Language::Hip ? "hip" : "c++")
      .add("directory", Request.Directory.empty() ? folderOf(Request.Source)
                                                  : Request.Directory);
  addEnvironment(Key);
  for (const std::string &Flag : Request.LinkFlags)
    Key.add("link-flag", Flag);
  return Key.finish();
}

static std::string contentOf(const std::string &Path) {
  std::ifstream File(Path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(File), {});
}

/// Whether a header asks where it is included from, which precompiled ones
/// would answer in another way.
static bool asksForItsPlace(const FileSet &Headers) {
  return std::any_of(
      Headers.files().begin(), Headers.files().end(), [](const FileRecord &F) {
        const std::string Text = contentOf(F.Path);
        return Text.find("__BASE_FILE__") != std::string::npos ||
               Text.find("__INCLUDE_LEVEL__") != std::string::npos;
      });
}

static std::string timeOf(const std::string &Path) {
  struct stat Info;
  return ::stat(Path.c_str(), &Info) == 0 ? std::to_string(Info.st_mtime) : "";
}

/// Names the precompiled headers of a family. Unlike objects they are tied to
/// paths and times: the compiler takes them for what it would include by path,
/// and refuses them when that was written since.
static KeyRecord pchKey(const CompileRequest &Request, const FileSet &Tools,
                        const FileSet &Headers, const std::string &Preamble,
                        bool WithKernels) {
  KeyBuilder Key("kpack-jit pch 1");
  addCommon(Key, Request, Tools, nullptr);
  Key.add("directory", Request.Directory)
      .add("folder", folderOf(Request.Source));
  for (const std::string &Flag : Request.Flags)
    Key.add("flag", Flag);
  for (const FileRecord &Header : Headers.files())
    Key.addDigest("include " + Header.Path, Header.Hash,
                  toHex(Header.Hash).substr(0, 16))
        .add("time", timeOf(Header.Path));
  Key.add("kernels", WithKernels ? "yes" : "no");
  Key.add("preamble", Preamble);
  return Key.finish();
}

static PchPlace placeOfPch(const Cache &Where, const CompileRequest &Request,
                           const FileSet &Tools, const FileSet &Headers) {
  PchPlace Place;
  if (Request.Pch == PchPolicy::Off || Where.writableDirectory().empty() ||
      !allowsPch(Request))
    return Place;
  const std::string Source = contentOf(Request.Source);
  const Preamble Start = preambleOf(Source);
  if (Start.Bytes == 0 || asksForItsPlace(Headers))
    return Place;
  Place.Store = Where.writableDirectory();
  Place.WithKernels =
      Request.Lang == Language::Hip &&
      hasVariantsOnly(std::string_view(Source).substr(Start.Bytes));
  Place.Key = pchKey(Request, Tools, Headers, Start.Text, Place.WithKernels);
  return Place;
}

static Result<FileSet> readSet(const StoredEntry &Entry) {
  std::string Bytes(Entry.PayloadSize, '\0');
  if (::pread(Entry.File.get(), Bytes.data(), Bytes.size(), 0) ==
      ssize_t(Bytes.size()))
    if (std::optional<FileSet> Set = FileSet::decode(Bytes))
      return std::move(*Set);
  return Status(StatusCode::InvalidFormat,
                Entry.Info.Name + ": the cached list of files is damaged");
}

/// A list of files that is looked up, checked against the files, and made anew
/// by \p Find where they have changed.
static Result<FileSet>
listThroughCache(Cache &Where, KeyRecord Key, const std::string &Name,
                 const std::function<Result<FileSet>()> &Find) {
  CacheRequest Wanted;
  Wanted.Key = std::move(Key);
  Wanted.Name = Name;
  Wanted.Kind = "recipe";
  Wanted.Auxiliary = true;
  std::optional<FileSet> Current;
  Wanted.Accept = [&](const StoredEntry &Entry) {
    Result<FileSet> Set = readSet(Entry);
    if (!Set || !Set->unchanged())
      return false;
    Current = std::move(*Set);
    return true;
  };
  Result<StoredEntry> Entry = Where.get(Wanted, [&]() -> Result<Product> {
    Result<FileSet> Set = Find();
    if (!Set)
      return Set.status();
    Current = std::move(*Set);
    return Product{Current->encode(), ""};
  });
  if (!Entry)
    return Entry.status();
  return Current ? Result<FileSet>(std::move(*Current)) : readSet(*Entry);
}

Result<SourceCache::Inputs> SourceCache::inputs(const CompileRequest &Request) {
  Inputs Found;
  Result<Digest> Source = sha256OfFile(Request.Source);
  if (!Source)
    return Source.status();
  Found.Source = *Source;
  Result<FileSet> Tools =
      listThroughCache(Where, toolsKey(Request), Request.Compiler, [&] {
        Result<ToolFiles> Files = Service.tools(Request);
        if (!Files)
          return Result<FileSet>(Files.status());
        Result<FileSet> Set = FileSet::of(Files->Programs, Files->Linked);
        if (Set)
          Set->Note = Files->Version;
        return Set;
      });
  if (!Tools)
    return Tools.status();
  Found.Tools = std::move(*Tools);
  const KeyRecord Recipe = recipeKey(Request, Found.Source, Found.Tools);
  Result<FileSet> Headers = listThroughCache(Where, Recipe, Request.Name, [&] {
    Result<std::vector<std::string>> Files = Service.scan(Request);
    return Files ? FileSet::of(*Files)
                 : Result<FileSet>(
                       withRepro(Where, Recipe.Id, Request, Files.status()));
  });
  if (!Headers)
    return Headers.status();
  Found.Headers = std::move(*Headers);
  return Found;
}

Result<KeyRecord> SourceCache::key(const CompileRequest &Request) {
  Result<Inputs> Now = inputs(Request);
  if (!Now)
    return Now.status();
  return objectKey(Request, Now->Source, Now->Tools, Now->Headers);
}

Result<std::vector<std::string>>
SourceCache::files(const CompileRequest &Request) {
  Result<Inputs> Now = inputs(Request);
  if (!Now)
    return Now.status();
  std::vector<std::string> Paths{Request.Source};
  for (const FileRecord &Header : Now->Headers.files())
    Paths.push_back(Header.Path);
  return Paths;
}

Result<StoredEntry> SourceCache::get(const CompileRequest &Request) {
  // Once more when somebody edits a file in the middle of it.
  for (bool IsLast : {false, true}) {
    Result<Inputs> Now = inputs(Request);
    if (!Now)
      return Now.status();
    CacheRequest Wanted;
    Wanted.Key = objectKey(Request, Now->Source, Now->Tools, Now->Headers);
    Wanted.Name = Request.Name;
    Wanted.Target = Request.Target;
    Wanted.Symbol = Request.Symbols.empty() ? "" : Request.Symbols.front();
    bool WasEdited = false;
    Result<StoredEntry> Entry = Where.get(Wanted, [&]() -> Result<Product> {
      Result<Product> Made = Service.compile(
          Request, placeOfPch(Where, Request, Now->Tools, Now->Headers));
      if (Made)
        LastCpuSeconds = Made->CpuSeconds;
      // What may be different the next time says nothing about the source.
      if (Made.status().code() == StatusCode::IoError ||
          Made.status().code() == StatusCode::OutOfMemory)
        return Made;
      const Result<Digest> Source = sha256OfFile(Request.Source);
      WasEdited = !Source || *Source != Now->Source ||
                  !Now->Headers.unchanged() || !Now->Tools.unchanged();
      if (WasEdited)
        return Status(StatusCode::IoError,
                      Request.Name +
                          ": its source, a header or a linked file was "
                          "written to while it was compiled; call "
                          "it again");
      if (!Made)
        return withRepro(Where, Wanted.Key.Id, Request, Made.status());
      return Made;
    });
    if (Entry || !WasEdited || IsLast)
      return Entry;
  }
  return Status(StatusCode::IoError, Request.Name); // not reached
}
