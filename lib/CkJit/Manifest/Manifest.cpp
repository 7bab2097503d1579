//===- Manifest.cpp - list of a library's kernel sources ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader accepts every form anywhere and recognizes an object that holds
// entries by its "blobs". It skips unknown members. A file may come from any
// source, and a number in "argv" may stand for a whole list, so the bytes
// copied from lists are limited.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Manifest/Manifest.h"

#include "Support/MappedFile.h"
#include "kpack/Support/Json.h"

using namespace kpack;
using namespace kpack::ckjit;

/// Limit in bytes for all words that are copied from lists.
static constexpr size_t MaxCopied = size_t(1) << 30;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class Parser {
public:
  Parser(std::string_view Text, Manifest &Output) : Json(Text), To(Output) {}

  /// Returns false for an error at offset().
  bool parse() {
    while (!Json.atEnd())
      if (!item())
        return false;
    return true;
  }
  size_t offset() const { return Json.offset(); }

private:
  /// An object, which is an entry or contains entries.
  struct Object {
    ManifestEntry Entry;
    ManifestHeader Header; ///< except the compiler, which both may have
    std::string Kind;
    bool HasBlobs = false;
  };

  /// Reads a list, or the index of a list in "lists".
  bool words(std::vector<std::string> &Into) {
    if (Json.next() == '[')
      return Json.strings(Into);
    size_t Index;
    if (!Json.index(Lists.size(), Index))
      return false;
    Into = Lists[Index];
    for (const std::string &Word : Into)
      Copied += sizeof(Word) + Word.size();
    return Copied <= MaxCopied;
  }

  bool member(Object &Target, const std::string &Key) {
    ManifestEntry &E = Target.Entry;
    std::pair<const char *, std::string *> Texts[] = {
        {"source", &E.Source},         {"cwd", &E.Directory},
        {"output", &E.Output},         {"kind", &Target.Kind},
        {"api_kind", &E.ApiKind},      {"module", &E.Module},
        {"name", &Target.Header.Name}, {"root", &Target.Header.Root},
        {"compiler", &E.Compiler}};
    if (Json.next() == '"')
      for (const auto &[Name, Into] : Texts)
        if (Key == Name) {
          Into->clear();
          return Json.string(*Into);
        }
    if (Key == "source" || Key == "cwd")
      return false;
    if (Key == "argv") {
      E.HasWords = true;
      return words(E.Words);
    }
    if (Key == "symbols")
      return words(E.Symbols);
    if (Key == "link_flags")
      return Json.strings(Target.Header.LinkFlags.emplace());
    if (Key == "lists")
      return Json.array([&] { return Json.strings(Lists.emplace_back()); });
    if (Key != "blobs")
      return Json.skip();
    Target.HasBlobs = true;
    return item();
  }

  /// Reads an object or a list of objects.
  bool item() {
    if (Json.next() == '[')
      return Json.array([&] { return item(); });
    Object New;
    if (!Json.object([&](const std::string &Key) { return member(New, Key); }))
      return false;
    if (New.HasBlobs) {
      New.Header.Compiler = std::move(New.Entry.Compiler);
      static_cast<ManifestHeader &>(To) = std::move(New.Header);
      return true;
    }
    New.Entry.IsDispatcher = New.Kind == "dispatcher";
    To.Entries.push_back(std::move(New.Entry));
    return true;
  }

  JsonReader Json;
  Manifest &To;
  std::vector<std::vector<std::string>> Lists;
  size_t Copied = 0;
};
} // namespace

Result<Manifest> Manifest::parse(std::string_view Text, const std::string &Path,
                                 std::string_view Advice) {
  Manifest Read;
  Parser P(Text, Read);
  if (!P.parse())
    return Status(StatusCode::InvalidFormat,
                  Path + ": no manifest: wrong at byte " +
                      std::to_string(P.offset()) + "; " + std::string(Advice));
  return Read;
}

BlobRecord ckjit::getBlob(ManifestEntry Entry) {
  BlobRecord Blob;
  for (std::string &Word : Entry.Words)
    if (Word != Entry.Source) // the source is stored separately
      Blob.Flags.push_back(std::move(Word));
  Blob.Source = std::move(Entry.Source);
  if (Blob.Source.compare(0, 1, "/") != 0 &&
      Blob.Source.compare(0, 6, "{root}") != 0 && !Entry.Directory.empty())
    Blob.Source = Entry.Directory + "/" + Blob.Source;
  std::string Name = Blob.Source.substr(Blob.Source.rfind('/') + 1);
  Blob.Stem = Name.substr(0, Name.rfind('.'));
  Blob.Directory = std::move(Entry.Directory);
  Blob.Symbols = std::move(Entry.Symbols);
  return Blob;
}

Result<BlobManifest> BlobManifest::parse(std::string_view Text,
                                         const std::string &Path) {
  Result<Manifest> Whole = Manifest::parse(Text, Path);
  if (!Whole)
    return Whole.status();
  BlobManifest M;
  static_cast<ManifestHeader &>(M) = *Whole;
  for (ManifestEntry &Entry : Whole->Entries)
    if (!Entry.Source.empty()) {
      M.Blobs.push_back(getBlob(std::move(Entry)));
      M.Places.emplace(M.Blobs.back().Stem, M.Blobs.size() - 1);
    }
  return M;
}

Result<BlobManifest> BlobManifest::read(const std::string &Path) {
  Result<MappedFile> File = MappedFile::open(Path);
  if (!File)
    return File.status();
  return parse(File->bytes(), Path);
}

const BlobRecord *BlobManifest::find(const std::string &Stem) const {
  auto Found = Places.find(Stem);
  return Found == Places.end() ? nullptr : &Blobs[Found->second];
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string ManifestEntry::toJson(std::string_view Argv) const {
  JsonMembers Members;
  auto Add = [&](std::string_view Name, const std::string &Value, bool Always) {
    if (Always || !Value.empty())
      Members.emplace_back(Name, jsonString(Value));
  };
  // Entries with an output come from a build: write all members for readers.
  bool IsOfBuild = !Output.empty();
  Add("source", Source, true);
  Add("output", Output, IsOfBuild);
  Add("cwd", Directory, IsOfBuild);
  if (IsOfBuild) {
    Add("kind", IsDispatcher ? "dispatcher" : "blob", true);
    Add("api_kind", ApiKind, true);
    Add("module", Module, true);
  }
  Add("compiler", Compiler, false);
  Members.emplace_back("argv", Argv.empty() ? jsonStrings(Words) : Argv);
  if (!Symbols.empty())
    Members.emplace_back("symbols", jsonStrings(Symbols));
  return jsonObject(Members);
}

std::string Manifest::toJson(bool SharesWords) const {
  JsonMembers Members{{"version", "1"}};
  for (const auto &[Name, Value] :
       {std::pair("name", &Name), {"root", &Root}, {"compiler", &Compiler}})
    if (!Value->empty())
      Members.emplace_back(Name, jsonString(*Value));
  if (LinkFlags)
    Members.emplace_back("link_flags", jsonStrings(*LinkFlags));
  std::map<std::vector<std::string>, size_t> Numbers;
  std::vector<std::string> Lists, Blobs;
  for (const ManifestEntry &Entry : Entries) {
    std::string Argv;
    if (SharesWords) {
      auto [Place, IsNew] = Numbers.try_emplace(Entry.Words, Lists.size());
      if (IsNew)
        Lists.push_back(jsonStrings(Entry.Words));
      Argv = std::to_string(Place->second);
    }
    Blobs.push_back(Entry.toJson(Argv));
  }
  if (SharesWords)
    Members.emplace_back("lists", jsonArray(Lists));
  Members.emplace_back("blobs", jsonArray(Blobs));
  return jsonObject(Members);
}

std::string ckjit::withFolder(std::string Text, std::string_view Old,
                              std::string_view New) {
  size_t Offset = Old.empty() ? std::string::npos : Text.find(Old);
  while (Offset != std::string::npos) {
    size_t End = Offset + Old.size();
    if (End == Text.size() || Text[End] == '/') {
      Text.replace(Offset, Old.size(), New);
      End = Offset + New.size();
    }
    Offset = Text.find(Old, End);
  }
  return Text;
}
