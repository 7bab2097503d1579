//===- NameStream.cpp - lld's messages with the user's names --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   lld prints      >>> referenced by /proc/self/fd/7:(.text+0x5)
//   the user reads  >>> referenced by a.o:(.text+0x5)
//
// lld prints in pieces, so text is collected up to the end of a line; otherwise
// a name could be split. When lld runs a second time, the output of the first
// run is skipped by its length, measured with the user's names: descriptor
// numbers may differ between the runs, those names do not.
//
//===----------------------------------------------------------------------===//
#include "NameStream.h"

#include "MemoryFile.h"
#include "Offload/HipSymbols.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kpack::linker {

void NameTable::clear() {
  MemoryFiles.clear();
  Others.clear();
}

void NameTable::add(std::string Ours, std::string Users) {
  StringRef Number = Ours;
  if (Number.consume_front(MemoryFilePrefix) && all_of(Number, isDigit))
    MemoryFiles[Ours] = std::move(Users);
  else
    Others.emplace_back(std::move(Ours), std::move(Users));
}

StringRef NameTable::userName(StringRef Name) const {
  if (auto It = MemoryFiles.find(Name); It != MemoryFiles.end())
    return It->second;
  for (const auto &[Ours, Users] : Others)
    if (Name == Ours)
      return Users;
  return Name;
}

static void replaceAll(std::string &Text, StringRef From, StringRef To) {
  for (size_t At = Text.find(From); At != std::string::npos;
       At = Text.find(From, At + To.size()))
    Text.replace(At, From.size(), To);
}

std::string NameTable::apply(StringRef Text) const {
  std::string Result;
  for (size_t At = Text.find(MemoryFilePrefix); At != StringRef::npos;
       At = Text.find(MemoryFilePrefix)) {
    // Take all digits: .../fd/12 is a prefix of .../fd/123.
    size_t End = At + MemoryFilePrefix.size();
    while (End < Text.size() && isDigit(Text[End]))
      ++End;
    StringRef Name = Text.slice(At, End);
    auto It = MemoryFiles.find(Name);
    Result += Text.take_front(At);
    Result += It == MemoryFiles.end() ? Name : StringRef(It->second);
    Text = Text.drop_front(End);
  }
  Result += Text;
  for (const auto &[Ours, Users] : Others)
    replaceAll(Result, Ours, Users);
  return Result;
}

void NameStream::write_impl(const char *Data, size_t Size) {
  Position += Size;
  StringRef Rest(Data, Size);
  while (!Rest.empty()) {
    size_t End = Rest.find('\n');
    Line += Rest.take_front(End == StringRef::npos ? End : End + 1);
    if (End == StringRef::npos)
      return;
    Rest = Rest.drop_front(End + 1);
    writeLine(Line);
    Line.clear();
  }
}

/// Returns the length of a separator of lld at the start of \p Text: a tab, a
/// newline, or a colour sequence; 0 if a name starts there.
static size_t lengthOfOwn(StringRef Text) {
  if (Text.front() == '\t' || Text.front() == '\n')
    return 1;
  if (!Text.starts_with("\x1b["))
    return 0;
  size_t End = Text.find_first_not_of("0123456789;", 2);
  return End != StringRef::npos && Text[End] == 'm' ? End + 1 : 0;
}

/// Escapes names of symbols and files as in our messages.
static std::string shown(StringRef Text) {
  std::string Result;
  while (!Text.empty()) {
    StringRef Foreign = Text.take_until(
        [](char C) { return StringRef("\t\n\x1b").contains(C); });
    Result += printable(Foreign);
    Text = Text.drop_front(Foreign.size());
    if (Text.empty())
      break;
    size_t Own = lengthOfOwn(Text);
    Result += Own ? Text.take_front(Own).str() : printable(Text.take_front(1));
    Text = Text.drop_front(std::max<size_t>(Own, 1));
  }
  return Result;
}

void NameStream::writeLine(StringRef Text) {
  if (Text.contains("undefined") && Text.contains(offload::FatBinPrefix))
    MissedFatBin = true;
  if (Text.contains("duplicate symbol") && Text.contains(offload::CuidPrefix))
    RepeatedCuid = true;
  std::string WithNames = shown(Names.apply(Text));
  if (HoldBack && MissedFatBin)
    Held += WithNames;
  else
    emit(WithNames);
}

void NameStream::emit(StringRef Text) {
  size_t Skip = std::min<uint64_t>(ToSkip, Text.size());
  ToSkip -= Skip;
  Target << Text.drop_front(Skip);
  Target.flush();
  Printed += Text.size() - Skip;
}

void NameStream::release() {
  if (!Line.empty())
    writeLine(Line);
  Line.clear();
  emit(Held);
  Held.clear();
}

void NameStream::restart() {
  Line.clear();
  Held.clear();
  MissedFatBin = RepeatedCuid = false;
  ToSkip = Printed;
}

} // namespace kpack::linker
