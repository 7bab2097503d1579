//===- Tuning.cpp - file of measured times of algorithms ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files are untrusted: every length and number is checked before use, and a
// file with one bad line is refused as a whole; the error names that line.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Tuning.h"

#include "ConvBuilder/Emit.h"
#include "Support/Files.h"
#include "Support/FolderLock.h"
#include "kpack/ConvBuilder/Kernel.h"
#include "kpack/ConvBuilder/ResolveSignature.h"
#include "kpack/Support/OutputFile.h"
#include "kpack/Support/TargetId.h"
#include "kpack/Support/UniqueFd.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fcntl.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

constexpr std::string_view Head = "kpack-conv-tune 1";
constexpr double MostMicroseconds = 1e12; // eleven days
constexpr unsigned MostSamples = 1000000;
constexpr size_t MostOfProducer = 96;
/// Writing takes milliseconds. A writer that waits longer for the lock writes
/// without it: another process may lose a record, but this one would lose its
/// record for certain.
constexpr double MaxWaitSeconds = 10;

/// Returns the part of a record before the algorithm.
std::string placeOf(std::string_view Processor, const Signature &Sig,
                    const Problem &Sizes) {
  return std::string(Processor) + " " + text(Sig) + " " + text(Sizes) + " ";
}

std::string getKey(const TuningRecord &R) {
  return placeOf(R.Processor, R.Sig, R.Sizes) + R.Producer + " " + text(R.How);
}

/// Returns the shortest text that reads back as \p Value.
std::string numberText(double Value) {
  std::array<char, 32> Digits;
  auto End =
      std::to_chars(Digits.data(), Digits.data() + Digits.size(), Value).ptr;
  return {Digits.data(), End};
}

/// The error in a line, or empty.
using Problems = std::string;

/// Splits a line into seven words between single spaces.
Problems splitLine(std::string_view Line,
                   std::array<std::string_view, 7> &Fields) {
  for (size_t I = 0; I < Fields.size(); ++I) {
    bool IsLast = I + 1 == Fields.size();
    size_t End = IsLast ? Line.size() : Line.find(' ');
    if (End == Line.npos)
      return "has " + std::to_string(I + 1) + " words, not 7";
    Fields[I] = Line.substr(0, End);
    if (Fields[I].empty())
      return "has an empty word; words are one space apart";
    Line.remove_prefix(IsLast ? End : End + 1);
  }
  return Fields.back().find(' ') == Line.npos ? "" : "has more than 7 words";
}

template <typename T> bool readNumber(std::string_view Word, T &Parsed) {
  auto [End, Code] =
      std::from_chars(Word.data(), Word.data() + Word.size(), Parsed);
  return Code == std::errc() && End == Word.data() + Word.size();
}

bool isProducer(std::string_view Word) {
  auto IsPlain = [](char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
           (C >= '0' && C <= '9') ||
           std::string_view("._/+-").find(C) != std::string_view::npos;
  };
  return Word.size() <= MostOfProducer &&
         std::all_of(Word.begin(), Word.end(), IsPlain);
}

template <Described T> Problems readValue(std::string_view Word, T &Parsed) {
  Result<T> Read = parse<T>(Word);
  if (!Read)
    return Read.status().message();
  Parsed = *Read;
  return "";
}

Problems readRecord(std::string_view Line, TuningRecord &Parsed) {
  std::array<std::string_view, 7> Fields;
  if (Problems Bad = splitLine(Line, Fields); !Bad.empty())
    return Bad;
  Parsed.Processor = Fields[0];
  if (Parsed.Processor != CpuProcessor && !isValidTargetId(Parsed.Processor))
    return "'" + Parsed.Processor + "' is no processor";
  if (Problems Bad = readValue(Fields[1], Parsed.Sig); !Bad.empty())
    return Bad;
  Parsed.Sig = resolveSignature(Parsed.Sig);
  if (Problems Bad = readValue(Fields[2], Parsed.Sizes); !Bad.empty())
    return Bad;
  if (Problems Bad = readValue(Fields[3], Parsed.How); !Bad.empty())
    return Bad;
  if (!readNumber(Fields[4], Parsed.Microseconds) ||
      !(Parsed.Microseconds > 0 && Parsed.Microseconds <= MostMicroseconds))
    return "'" + std::string(Fields[4]) + "' is no time in microseconds";
  if (!readNumber(Fields[5], Parsed.Samples) || Parsed.Samples == 0 ||
      Parsed.Samples > MostSamples)
    return "'" + std::string(Fields[5]) + "' is no number of samples";
  Parsed.Producer = Fields[6];
  return isProducer(Fields[6]) ? "" : "its producer is no plain word";
}

Status failure(const std::string &Name, size_t Line,
               const std::string &Message) {
  return Status(StatusCode::InvalidFormat,
                Name + ":" + std::to_string(Line) + ": " + Message);
}

} // namespace

std::string TuningRecord::text() const {
  return placeOf(Processor, Sig, Sizes) + conv::text(How) + " " +
         numberText(Microseconds) + " " + std::to_string(Samples) + " " +
         Producer;
}

std::string conv::tuningProducer() { return "kpack/" + kernelsDigest(); }

Result<TuningTable> TuningTable::parse(std::string_view Text,
                                       const std::string &Name) {
  if (Text.size() > MaxBytes)
    return failure(Name, 1,
                   "has more than " + std::to_string(MaxBytes) + " bytes");
  TuningTable Table;
  size_t LineNumber = 0;
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    if (++LineNumber > MaxLines)
      return failure(Name, LineNumber,
                     "there are more than " + std::to_string(MaxLines) +
                         " lines");
    if (End == Text.npos)
      return failure(Name, LineNumber,
                     "the line has no end: the file is cut off");
    std::string_view Line = Text.substr(0, End);
    Text.remove_prefix(End + 1);
    if (Line.size() > MaxLine)
      return failure(Name, LineNumber,
                     "has more than " + std::to_string(MaxLine) + " bytes");
    if (LineNumber == 1) {
      if (Line != Head)
        return failure(Name, 1,
                       "does not begin with '" + std::string(Head) + "'");
      continue;
    }
    // The first line of a file that was appended to this one.
    if (Line == Head)
      continue;
    TuningRecord Record;
    if (Problems Bad = readRecord(Line, Record); !Bad.empty())
      return failure(Name, LineNumber, Bad);
    Table.add(Record);
  }
  if (LineNumber == 0)
    return failure(Name, 1,
                   "is empty; its first line is '" + std::string(Head) + "'");
  return Table;
}

Result<TuningTable> TuningTable::read(const std::string &Path) {
  UniqueFd File(::open(Path.c_str(), O_RDONLY | O_CLOEXEC));
  std::optional<std::string> Text;
  if (File)
    Text = readToEnd(File.get(), MaxBytes + 1);
  if (!Text)
    return Status(!File && errno == ENOENT ? StatusCode::FileNotFound
                                           : StatusCode::IoError,
                  Path + ": cannot be read: " + std::strerror(errno));
  return parse(*Text, Path);
}

void TuningTable::add(const TuningRecord &Record) {
  auto [It, IsNew] = Records.emplace(getKey(Record), Record);
  TuningRecord &Known = It->second;
  if (!IsNew && std::pair(Record.Samples, -Record.Microseconds) >
                    std::pair(Known.Samples, -Known.Microseconds))
    Known = Record;
}

void TuningTable::merge(const TuningTable &Other) {
  for (const auto &[Key, Record] : Other.Records)
    add(Record);
}

std::vector<TuningRecord> TuningTable::find(std::string_view Processor,
                                            const Signature &Sig,
                                            const Problem &Sizes,
                                            std::string_view Producer) const {
  std::string Place = placeOf(Processor, Sig, Sizes);
  std::vector<std::pair<std::pair<bool, double>, const TuningRecord *>> Order;
  for (auto It = Records.lower_bound(Place);
       It != Records.end() && It->first.starts_with(Place); ++It)
    Order.push_back({{It->second.Producer != Producer, It->second.Microseconds},
                     &It->second});
  std::sort(Order.begin(), Order.end(), [](const auto &A, const auto &B) {
    return A.first != B.first ? A.first < B.first
                              : getKey(*A.second) < getKey(*B.second);
  });
  std::vector<TuningRecord> Found;
  for (const auto &[Rank, Record] : Order)
    Found.push_back(*Record);
  return Found;
}

std::string TuningTable::text() const {
  std::string All = std::string(Head) + "\n";
  for (const auto &[Key, Record] : Records)
    All += Record.text() + "\n";
  return All;
}

Status TuningTable::writeTo(const std::string &Path) const {
  Result<OutputPlace> Place = findOutputPlace(Path);
  if (!Place)
    return Place.status();
  FolderLock Mine(Place->Path, MaxWaitSeconds);
  TuningTable All;
  Result<TuningTable> There = read(Path);
  if (There)
    All = std::move(*There);
  else if (There.status().code() != StatusCode::FileNotFound)
    return There.status();
  All.merge(*this);
  return OutputFile::write(Path, All.text());
}
