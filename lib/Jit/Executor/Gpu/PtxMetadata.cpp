//===- PtxMetadata.cpp - argument layout of PTX kernels -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses entries as clang writes them:
//
//   .visible .entry scale(
//     .param .u64 .ptr .align 1 scale_param_0,
//     .param .align 4 .b8 scale_param_1[12]
//   )
//   .maxntid 256
//   {
//
// An entry that is only declared, with ";" instead of its body, is no kernel.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Gpu/KernelMetadata.h"

#include <algorithm>
#include <cstdlib>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Splits text into words and single punctuators; skips comments.
class PtxWords {
public:
  explicit PtxWords(std::string_view Text) : Text(Text) {}

  /// Returns an empty word at the end.
  std::string_view next() {
    skipSpace();
    if (Text.empty())
      return {};
    size_t Size = 1;
    if (!isMark(Text[0]))
      Size = std::min(Text.size(), Text.find_first_of(" \t\r\n(){}[],;<>"));
    std::string_view Word = Text.substr(0, Size);
    Text.remove_prefix(Size);
    return Word;
  }

private:
  static bool isMark(char C) {
    return std::string_view("(){}[],;<>").find(C) != std::string_view::npos;
  }
  void skip(size_t Size) { Text.remove_prefix(std::min(Size, Text.size())); }
  void skipSpace() {
    for (;;) {
      skip(std::min(Text.size(), Text.find_first_not_of(" \t\r\n")));
      if (Text.substr(0, 2) == "//")
        skip(std::min(Text.size(), Text.find('\n')));
      else if (Text.substr(0, 2) == "/*")
        skip(std::min(Text.size(), Text.find("*/", 2)) + 2);
      else
        return;
    }
  }
  std::string_view Text;
};

} // namespace

static uint32_t getNumber(std::string_view Word) {
  return uint32_t(
      std::strtoul(std::string(Word.substr(0, 9)).c_str(), nullptr, 10));
}

/// Returns the bytes of ".u64", ".f32", ".b8"; 0 for other words.
static uint32_t sizeOfWord(std::string_view Word) {
  if (Word.size() < 3 || Word[0] != '.' ||
      std::string_view("usfb").find(Word[1]) == std::string_view::npos)
    return 0;
  return getNumber(Word.substr(2)) / 8;
}

/// Parses up to the closing bracket. Returns false if these are no parameters.
static bool takeParameters(PtxWords &In, KernelMetadata &Kernel) {
  constexpr uint32_t MaxBytes = 1 << 16;
  uint32_t Size = 0, Align = 0, Count = 1;
  bool IsPointer = false;
  for (std::string_view Word = In.next(); !Word.empty(); Word = In.next()) {
    if (Word == ".align" && !IsPointer) {
      Align = getNumber(In.next());
    } else if (Word == ".ptr") {
      IsPointer = true;
    } else if (Word == "[") {
      Count = getNumber(In.next());
    } else if (Word == "," || Word == ")") {
      if (!Size)
        return Word == ")" && Kernel.Arguments.empty();
      Align = std::max(Align, Size);
      uint32_t Offset = (Kernel.ArgumentBytes + Align - 1) / Align * Align;
      if (Count > MaxBytes || Offset > MaxBytes)
        return false;
      Kernel.Arguments.push_back({{}, Offset, Size * Count, IsPointer});
      Kernel.ArgumentBytes = Offset + Size * Count;
      if (Word == ")")
        return true;
      Size = Align = 0, Count = 1, IsPointer = false;
    } else if (uint32_t Bytes = sizeOfWord(Word)) {
      Size = Bytes;
    }
  }
  return false;
}

/// Parses the directives between parameters and body. Returns false without a
/// body.
static bool takeLimits(PtxWords &In, KernelMetadata &Kernel) {
  std::array<uint32_t, 3> *Sizes = nullptr, Most{};
  size_t Index = 0;
  for (std::string_view Word = In.next(); !Word.empty(); Word = In.next()) {
    if (Word == "{" || Word == ";") {
      for (uint32_t Size : Most)
        if (Size)
          Kernel.MaxBlock = (Kernel.MaxBlock ? Kernel.MaxBlock : 1) * Size;
      return Word == "{";
    }
    if (Word[0] == '.') {
      Sizes = Word == ".maxntid"   ? &Most
              : Word == ".reqntid" ? &Kernel.RequiredBlock
                                   : nullptr;
      Index = 0;
      if (Word == ".reqntid")
        Kernel.RequiredBlock = {1, 1, 1};
    } else if (Sizes && Word != "," && Index < Sizes->size()) {
      (*Sizes)[Index++] = std::min(getNumber(Word), 1024u);
    }
  }
  return false;
}

/// Parses the name of an undefined function after ".extern .func". Returns
/// empty if the driver defines it, or if there is no name.
static std::string_view takeMissing(PtxWords &In) {
  std::string_view Name = In.next();
  if (Name == "(") {
    while (Name != ")" && !Name.empty())
      Name = In.next();
    Name = In.next();
  }
  for (std::string_view Start : {"vprintf", "malloc", "free", "__", "cuda"})
    if (Name.substr(0, Start.size()) == Start)
      return {};
  return Name;
}

Result<ImageMetadata> jit::readPtxMetadata(std::string_view Image) {
  ImageMetadata Metadata;
  PtxWords In(Image);
  for (std::string_view Word = In.next(); !Word.empty(); Word = In.next()) {
    if (Word == ".target" && Metadata.Target.empty())
      Metadata.Target = In.next();
    if (Word == ".extern" && In.next() == ".func" && Metadata.Missing.empty())
      Metadata.Missing = takeMissing(In);
    if (Word != ".entry")
      continue;
    KernelMetadata Kernel;
    Kernel.Symbol = In.next();
    if (In.next() != "(" || !takeParameters(In, Kernel))
      return Status(StatusCode::InvalidFormat,
                    "PTX: the entry '" + Kernel.Symbol +
                        "' has no parameters that can be read; compile it "
                        "again");
    if (takeLimits(In, Kernel))
      Metadata.Kernels.push_back(std::move(Kernel));
  }
  if (Metadata.Target.compare(0, 3, "sm_") != 0)
    return Status(StatusCode::InvalidFormat,
                  "PTX: it names no target; compile it again");
  return Metadata;
}

Result<ImageMetadata> jit::readImageMetadata(std::string_view Image) {
  return Image.substr(0, 4) == "\177ELF" ? readCodeObjectMetadata(Image)
                                         : readPtxMetadata(Image);
}
