//===- OneText.cpp - kernel source with its headers pasted in -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executor asks a compiler for the files that a text reads, unless the text
// has no word that could read one; then it starts the compiler once for a
// kernel, not three times. So kernels are compiled from a single text. The
// headers' guards stay: a header that comes through a flag is not read again.
//
// Not a preprocessor, because it reads the headers of kernels only: a line with
// an #include has nothing else, "//" always begins a comment, and a continued
// line may be joined with the next one.
//
//===----------------------------------------------------------------------===//
#include "ConvBuilder/Emit.h"

#include <algorithm>
#include <set>

using namespace kpack;
using namespace kpack::conv;

namespace {

class TextWriter {
public:
  TextWriter(const KernelSource &Source, bool IsGpu)
      : From(Source), IsGpu(IsGpu) {}

  void write(std::string_view Text) {
    // In a section from "#ifndef __AMDGCN__" to its #else or #endif.
    bool IsForCpu = false;
    while (!Text.empty()) {
      std::string_view Line = Text.substr(0, Text.find('\n'));
      Text.remove_prefix(std::min(Line.size() + 1, Text.size()));
      if (Line == "#ifndef __AMDGCN__")
        IsForCpu = true;
      else if (Line.starts_with("#e"))
        IsForCpu = false;
      if (Line.starts_with(Include)) {
        if (!IsForCpu || !IsGpu)
          writeHeader(
              Line.substr(Include.size(), Line.size() - Include.size() - 1));
      } else {
        writeLine(Line);
      }
    }
  }

  std::string Out;

private:
  static constexpr std::string_view Include = "#include \"";

  void writeHeader(std::string_view Name) {
    if (!Written.insert(Name).second)
      return;
    for (const auto &[Its, Text] : From.Headers)
      if (Its == Name)
        write(Text);
  }

  void writeLine(std::string_view Line) {
    Line = Line.substr(0, Line.find("//"));
    bool GoesOn = Line.ends_with('\\');
    if (GoesOn)
      Line.remove_suffix(1);
    size_t First = std::min(Line.find_first_not_of(' '), Line.size());
    Line = Line.substr(First, Line.find_last_not_of(' ') + 1 - First);
    if (Line.empty() && !GoesOn)
      return;
    (Out += Line) += GoesOn ? ' ' : '\n';
  }

  const KernelSource &From;
  bool IsGpu;
  std::set<std::string_view> Written;
};

} // namespace

std::string conv::makeOneText(const KernelSource &Source, bool IsGpu) {
  TextWriter Writer(Source, IsGpu);
  Writer.write(Source.Text);
  return std::move(Writer.Out);
}
