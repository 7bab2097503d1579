//===- OneText.cpp - a kernel's source without headers --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executor asks a compiler what a text reads, unless no word of it could
// read anything: then it is started once for a kernel, not three times. So what
// is compiled is one text. Guards of headers stay: one that comes by a flag is
// not read again.
//
// Not a preprocessor: headers of kernels are ours. A line that names one has
// nothing else, "//" begins a comment wherever it is, and a line that goes on
// in the next one may be one line.
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
  TextWriter(const KernelSource &From, bool IsGpu) : From(From), IsGpu(IsGpu) {}

  void write(std::string_view Text) {
    // Between "#ifndef __AMDGCN__" and what ends it.
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

std::string conv::oneTextOf(const KernelSource &From, bool IsGpu) {
  TextWriter Writer(From, IsGpu);
  Writer.write(From.Text);
  return std::move(Writer.Out);
}
