//===- PchInstantiations.cpp - template instances put into a PCH ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Correctness does not depend on this text: if the compiler rejects it, the
// header is made without it.
//
//===----------------------------------------------------------------------===//
#include "PchInstantiations.h"

#include <cctype>
#include <cstdlib>
#include <memory>
#include <optional>

using namespace kpack::jit;

static constexpr std::string_view KernelAttribute = "__attribute__((global))";
static constexpr std::string_view CopySuffix = "_kpack_copy";
static constexpr size_t None = std::string_view::npos;

static bool isWordCharacter(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
}

std::string kpack::jit::kernelOfIrLine(std::string_view Line) {
  if (Line.substr(0, 7) != "define ")
    return {};
  size_t Convention = Line.find(" amdgpu_kernel "), Name = Line.find(" @");
  if (Name == None || Convention == None || Convention > Name)
    return {};
  size_t End = Line.find('(', Name);
  return std::string(Line.substr(Name + 2, End - Name - 2));
}

namespace {

/// The parts of tile::entry<256, kernel>(arguments).
struct KernelName {
  std::vector<std::string> Namespaces;
  std::string Template;   ///< "entry"
  std::string Arguments;  ///< "<256, kernel>"
  std::string Parameters; ///< "(arguments)"
};

} // namespace

/// Returns the offset after the partner of the bracket at \p Offset, or None.
static size_t behindGroup(std::string_view Text, size_t Offset) {
  std::string Open;
  for (; Offset < Text.size(); ++Offset) {
    char C = Text[Offset];
    if (C == '"' || C == '\'') {
      // A digit separator begins no literal.
      if (C == '\'' && Offset > 0 && isWordCharacter(Text[Offset - 1]))
        continue;
      if (C == '"' && Offset > 0 && Text[Offset - 1] == 'R')
        return None;
      for (++Offset; Offset < Text.size() && Text[Offset] != C; ++Offset)
        Offset += Text[Offset] == '\\';
    } else if (C == '(' || C == '{' || C == '[') {
      Open += C;
    } else if (C == ')' || C == '}' || C == ']') {
      char Fits = C == ')' ? '(' : C == '}' ? '{' : '[';
      if (Open.empty() || Open.back() != Fits)
        return None;
      Open.pop_back();
      if (Open.empty())
        return Offset + 1;
    }
  }
  return None;
}

/// Does the same for template arguments in a demangled name.
static size_t behindArguments(std::string_view Text, size_t Offset) {
  for (size_t Depth = 0; Offset < Text.size(); ++Offset) {
    char C = Text[Offset];
    if (C == '(') {
      size_t End = behindGroup(Text, Offset);
      if (End == None)
        return None;
      Offset = End - 1;
    } else if (C == '<') {
      ++Depth;
    } else if (C == '>' && --Depth == 0) {
      return Offset + 1;
    }
  }
  return None;
}

/// Demanglers print some types as a later C++ names them.
static std::string inThisLanguage(std::string Text) {
  static constexpr std::string_view Later = "std::bfloat16_t", Here = "__bf16";
  for (size_t Offset = 0; (Offset = Text.find(Later, Offset)) != None;
       Offset += Here.size())
    Text.replace(Offset, Later.size(), Here);
  return Text;
}

static std::optional<KernelName> takeApart(const std::string &Mangled,
                                           Demangler Demangle) {
  std::unique_ptr<char, decltype(&std::free)> Demangled(
      Demangle(Mangled.c_str()), &std::free);
  if (!Demangled)
    return std::nullopt;
  std::string Readable = inThisLanguage(Demangled.get());
  std::string_view Text = Readable;
  // Types without a name outside of their source cannot be written here.
  for (std::string_view Word :
       {"(anonymous namespace)", "{lambda", "'lambda", "'unnamed", "{unnamed"})
    if (Text.find(Word) != None)
      return std::nullopt;
  if (Text.substr(0, 5) != "void ")
    return std::nullopt; // no template: its demangled name has no result type
  Text.remove_prefix(5);
  KernelName Name;
  size_t Offset = 0, Start = 0;
  for (; Offset < Text.size() && Text[Offset] != '<'; ++Offset) {
    if (Text.substr(Offset, 2) == "::") {
      Name.Namespaces.emplace_back(Text.substr(Start, Offset - Start));
      Start = ++Offset + 1;
    } else if (!isWordCharacter(Text[Offset])) {
      return std::nullopt;
    }
  }
  Name.Template = Text.substr(Start, Offset - Start);
  size_t End = behindArguments(Text, Offset);
  if (Name.Template.empty() || End == None || End >= Text.size() ||
      Text[End] != '(')
    return std::nullopt;
  Name.Arguments = Text.substr(Offset, End - Offset);
  Name.Parameters = Text.substr(End);
  if (behindGroup(Name.Parameters, 0) != Name.Parameters.size())
    return std::nullopt;
  return Name;
}

/// Turns \p Head of a kernel template into that of an inline device function,
/// without its other attributes.
static std::string headOfCopy(std::string_view Head) {
  std::string Copy;
  while (true) {
    size_t Attribute = Head.find("__attribute__");
    Copy += Head.substr(0, Attribute);
    if (Attribute == None)
      return Copy;
    size_t Open = Head.find('(', Attribute),
           End = Open == None ? None : behindGroup(Head, Open);
    if (End == None)
      return {};
    if (Head.substr(Attribute, KernelAttribute.size()) == KernelAttribute)
      Copy += "__attribute__((device)) inline";
    Head.remove_prefix(End);
  }
}

/// Copies the definition whose parameters open at \p Open; empty if this is
/// only a use of the name, or no kernel template.
static std::string copyAt(std::string_view Text, size_t Name, size_t Open) {
  size_t Start = Text.find_last_of(";}{", Name);
  Start = Start == None ? 0 : Start + 1;
  size_t Template = Text.find("template", Start);
  size_t Kernel = Text.find(KernelAttribute, Start);
  if (Template == None || Template > Name || Kernel == None || Kernel > Name)
    return {};
  size_t Parameters = behindGroup(Text, Open);
  size_t Body =
      Parameters == None ? None : Text.find_first_not_of(" \t\r\n", Parameters);
  if (Body == None || Text[Body] != '{')
    return {};
  size_t End = behindGroup(Text, Body);
  std::string Head = headOfCopy(Text.substr(Template, Name - Template));
  if (End == None || Head.empty())
    return {};
  std::string_view Word = Text.substr(Name, Open - Name);
  return Head + std::string(Word) + std::string(CopySuffix) +
         std::string(Text.substr(Open, End - Open)) + "\n";
}

/// Copies all kernel templates of that name.
static std::string makeCopies(std::string_view Text, const std::string &Name) {
  std::string Copies;
  for (size_t Offset = 0; (Offset = Text.find(Name, Offset)) != None;
       ++Offset) {
    size_t Open = Offset + Name.size();
    if (Offset == 0 || isWordCharacter(Text[Offset - 1]) ||
        Open >= Text.size() || Text[Open] != '(')
      continue;
    Copies += copyAt(Text, Offset, Open);
  }
  return Copies;
}

std::string
kpack::jit::kernelInstantiations(std::string_view Preprocessed,
                                 const std::vector<std::string> &Kernels,
                                 Demangler Demangle) {
  std::string Copies, Uses, Copied;
  size_t Ordinal = 0;
  for (const std::string &Mangled : Kernels) {
    std::optional<KernelName> Name = takeApart(Mangled, Demangle);
    if (!Name)
      continue;
    std::string Open, Close, Path = "::";
    for (const std::string &Namespace : Name->Namespaces) {
      Open += "namespace " + Namespace + " { ";
      Close += " }";
      Path += Namespace + "::";
    }
    std::string Copy = Path + Name->Template + std::string(CopySuffix);
    if (Copied.find(" " + Copy + " ") == None) {
      std::string Text = makeCopies(Preprocessed, Name->Template);
      if (Text.empty())
        continue;
      Copies += Open + "\n" + Text + Close + "\n";
      Copied += " " + Copy + " ";
    }
    Uses += "__attribute__((device)) inline void *kpack_primer_" +
            std::to_string(Ordinal++) +
            "() { return reinterpret_cast<void *>(static_cast<void (*)" +
            Name->Parameters + ">(&" + Copy + Name->Arguments + ")); }\n";
  }
  return Uses.empty() ? "" : Copies + Uses;
}
