//===- BlobManifest.cpp - manifests as JSON -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See kpack/CkJit/Runtime/Request.h. The parser knows all of JSON, but keeps
// only what blobs are made of. The reader of ck-jit embed
// (kpack/CkJit/Seam/Seam.h) is made of LLVM; this one is loaded into programs
// and is not.
//
//===----------------------------------------------------------------------===//
#include "kpack/CkJit/Runtime/Request.h"

#include "kpack/Support/MappedFile.h"

#include <functional>

using namespace kpack;
using namespace kpack::ckjit;

/// Values within values: deeper ones are refused.
static constexpr unsigned MaxDepth = 32;

class BlobManifest::Parser {
public:
  Parser(std::string_view Text, BlobManifest &To) : Text(Text), To(To) {}

  /// False: what is at offset() is wrong.
  bool parse() {
    for (skipSpace(); At != Text.size(); skipSpace())
      if (!item(0))
        return false;
    return true;
  }
  size_t offset() const { return At; }

private:
  void skipSpace() {
    while (At != Text.size() && (Text[At] == ' ' || Text[At] == '\t' ||
                                 Text[At] == '\n' || Text[At] == '\r'))
      ++At;
  }
  bool take(char C) {
    skipSpace();
    if (At == Text.size() || Text[At] != C)
      return false;
    ++At;
    return true;
  }
  char next() {
    skipSpace();
    return At == Text.size() ? '\0' : Text[At];
  }

  bool hex4(unsigned &Value) {
    if (Text.size() - At < 4)
      return false;
    Value = 0;
    for (unsigned I = 0; I != 4; ++I, ++At) {
      char C = Text[At];
      unsigned Digit = C >= '0' && C <= '9'   ? unsigned(C - '0')
                       : C >= 'a' && C <= 'f' ? unsigned(C - 'a') + 10
                       : C >= 'A' && C <= 'F' ? unsigned(C - 'A') + 10
                                              : 16;
      if (Digit == 16)
        return false;
      Value = Value * 16 + Digit;
    }
    return true;
  }
  static void appendUtf8(std::string &Out, unsigned Code) {
    if (Code < 0x80) {
      Out += char(Code);
      return;
    }
    unsigned Bytes = Code < 0x800 ? 1 : Code < 0x10000 ? 2 : 3;
    static constexpr unsigned Lead[] = {0, 0xC0, 0xE0, 0xF0};
    Out += char(Lead[Bytes] | (Code >> (6 * Bytes)));
    for (unsigned I = Bytes; I-- != 0;)
      Out += char(0x80 | ((Code >> (6 * I)) & 0x3F));
  }
  /// After the backslash and the u.
  bool unicode(std::string &Out) {
    unsigned Code, Low;
    if (!hex4(Code))
      return false;
    if (Code >= 0xD800 && Code < 0xDC00) {
      if (Text.substr(At, 2) != "\\u")
        return false;
      At += 2;
      if (!hex4(Low) || Low < 0xDC00 || Low > 0xDFFF)
        return false;
      Code = 0x10000 + ((Code - 0xD800) << 10) + (Low - 0xDC00);
    } else if (Code == 0 || (Code >= 0xDC00 && Code < 0xE000)) {
      return false; // a zero would end a path
    }
    appendUtf8(Out, Code);
    return true;
  }
  bool string(std::string &Out) {
    static constexpr std::string_view Escapes = "\"\\/bfnrt",
                                      Meanings = "\"\\/\b\f\n\r\t";
    if (!take('"'))
      return false;
    while (At != Text.size() && Text[At] != '"') {
      char C = Text[At++];
      if (static_cast<unsigned char>(C) < 0x20)
        return false;
      if (C != '\\') {
        Out += C;
        continue;
      }
      if (At == Text.size())
        return false;
      char Escape = Text[At++];
      size_t Which = Escapes.find(Escape);
      if (Which != std::string_view::npos)
        Out += Meanings[Which];
      else if (Escape != 'u' || !unicode(Out))
        return false;
    }
    return take('"');
  }

  using Member = std::function<bool(const std::string &Key)>;
  bool object(const Member &OnMember) {
    if (!take('{'))
      return false;
    if (take('}'))
      return true;
    do {
      std::string Key;
      if (!string(Key) || !take(':') || !OnMember(Key))
        return false;
    } while (take(','));
    return take('}');
  }
  bool array(const std::function<bool()> &OnItem) {
    if (!take('['))
      return false;
    if (take(']'))
      return true;
    do
      if (!OnItem())
        return false;
    while (take(','));
    return take(']');
  }
  /// Any value, for nothing.
  bool skip(unsigned Depth) {
    std::string Ignored;
    if (Depth > MaxDepth)
      return false;
    switch (next()) {
    case '{':
      return object([&](const std::string &) { return skip(Depth + 1); });
    case '[':
      return array([&] { return skip(Depth + 1); });
    case '"':
      return string(Ignored);
    default:
      size_t End = Text.find_first_not_of(
          "+-.0123456789Eabcdefghijklmnopqrstuvwxyz", At);
      bool Any = End != At && At != Text.size();
      At = std::min(End, Text.size());
      return Any;
    }
  }

  bool texts(std::vector<std::string> &To) {
    return array([&] { return string(To.emplace_back()); });
  }
  /// A list, or the number of one that "lists" has had.
  bool numbered(std::vector<std::string> &To) {
    if (next() == '[')
      return texts(To);
    size_t End =
        std::min(Text.find_first_not_of("0123456789", At), Text.size());
    size_t Number = 0;
    for (; At != End && Number < Lists.size(); ++At)
      Number = Number * 10 + size_t(Text[At] - '0');
    if (At != End || Number >= Lists.size())
      return false;
    To = Lists[Number];
    return true;
  }

  /// What an object may say, whether it is a blob or holds some.
  struct Item {
    BlobRecord Blob;
    std::string Name, Root, Compiler;
    std::optional<std::vector<std::string>> LinkFlags;
    bool HasBlobs = false;
  };

  bool member(Item &Of, const std::string &Key, unsigned Depth) {
    const std::pair<const char *, std::string *> Fields[] = {
        {"source", &Of.Blob.Source},
        {"cwd", &Of.Blob.Directory},
        {"name", &Of.Name},
        {"root", &Of.Root},
        {"compiler", &Of.Compiler}};
    if (next() == '"')
      for (const auto &[Name, To] : Fields)
        if (Key == Name)
          return string(*To);
    if (Key == "source" || Key == "cwd")
      return false;
    if (Key == "argv")
      return numbered(Of.Blob.Flags);
    if (Key == "symbols")
      return numbered(Of.Blob.Symbols);
    if (Key == "link_flags")
      return texts(Of.LinkFlags.emplace());
    if (Key == "lists")
      return array([&] { return texts(Lists.emplace_back()); });
    if (Key != "blobs")
      return skip(Depth + 1);
    Of.HasBlobs = true;
    return item(Depth + 1);
  }

  /// A blob, a list of them, or an object that has one.
  bool item(unsigned Depth) {
    if (Depth > MaxDepth)
      return false;
    if (next() == '[')
      return array([&] { return item(Depth + 1); });
    Item New;
    if (!object(
            [&](const std::string &Key) { return member(New, Key, Depth); }))
      return false;
    if (New.HasBlobs) {
      To.Name = std::move(New.Name);
      To.Root = std::move(New.Root);
      To.Compiler = std::move(New.Compiler);
      To.LinkFlags = std::move(New.LinkFlags);
    } else if (!New.Blob.Source.empty()) {
      add(std::move(New.Blob));
    }
    return true;
  }

  void add(BlobRecord Blob) {
    std::vector<std::string> Kept;
    for (std::string &Flag : Blob.Flags)
      if (Flag != Blob.Source) // the source is named by itself
        Kept.push_back(std::move(Flag));
    Blob.Flags = std::move(Kept);
    if (Blob.Source[0] != '/' && Blob.Source.compare(0, 6, "{root}") != 0 &&
        !Blob.Directory.empty())
      Blob.Source = Blob.Directory + "/" + Blob.Source;
    std::string Name = Blob.Source.substr(Blob.Source.rfind('/') + 1);
    Blob.Stem = Name.substr(0, Name.rfind('.'));
    To.Places.emplace(Blob.Stem, To.Blobs.size());
    To.Blobs.push_back(std::move(Blob));
  }

  std::vector<std::vector<std::string>> Lists;
  std::string_view Text;
  size_t At = 0;
  BlobManifest &To;
};

Result<BlobManifest> BlobManifest::parse(std::string_view Text,
                                         const std::string &Path) {
  BlobManifest Manifest;
  Parser P(Text, Manifest);
  if (!P.parse())
    return Status(StatusCode::InvalidFormat,
                  Path + ": no manifest: wrong at byte " +
                      std::to_string(P.offset()) + "; write it anew");
  return Manifest;
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
