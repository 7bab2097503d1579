//===- ReportData.cpp - compact data in the HTML report -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report of a library of GEMM kernels has tens of thousands of names with
// hundreds of characters, most of which repeat those of the preceding name: the
// format of `--json` would give a page of 30 MB. In this format a name is a
// number. The names are in one sorted list, each without the parts that it
// shares with the preceding one, and a share is a row of numbers. The script of
// ReportPage.html restores the format of `--json`, see unpack() there. Sibling:
// ReportJson.cpp.
//
//===----------------------------------------------------------------------===//
#include "Tool/Report/SizeReport.h"
#include "ToolSupport/Output.h"
#include "llvm/Support/raw_ostream.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

namespace {
/// All names of a report with their indices.
class NameList {
public:
  explicit NameList(const SizeReport &Report);
  uint64_t placeOf(StringRef Name) const {
    return Places.find(jsonText(Name))->second;
  }
  void write(json::OStream &J) const;

private:
  void add(StringRef Name) { Places.try_emplace(jsonText(Name), 0); }

  /// Keys are UTF-8.
  std::map<std::string, uint64_t> Places;
};
} // namespace

NameList::NameList(const SizeReport &Report) {
  for (const auto &[Target, Libraries] : Report.Targets) {
    add(Target);
    for (const auto &[Library, Share] : Libraries) {
      add(Library);
      for (const auto &[Name, Size] : largestKernels(Share).Named)
        add(Name);
    }
  }
  for (const auto &[Path, Size] : Report.Hosts)
    add(Path);
  for (const EqualCode *Equal : largestDuplicates(Report)) {
    add(Equal->Target);
    for (StringRef Library : Equal->Libraries)
      add(Library);
  }
  uint64_t Place = 0;
  for (auto &Name : Places)
    Name.second = Place++;
}

/// Splits a name into parts, each with its separator. Two names of one
/// generator differ at few places, which may be anywhere.
static std::vector<StringRef> getParts(StringRef Name) {
  std::vector<StringRef> Parts;
  while (!Name.empty()) {
    size_t End = Name.find_first_of("_ ,<>(");
    Parts.push_back(Name.take_front(End == StringRef::npos ? End : End + 1));
    Name = Name.drop_front(Parts.back().size());
  }
  return Parts;
}

namespace {
/// Writes one name: its new texts, and numbers of parts that are equal to those
/// of the preceding name at the same places; the last number counts parts from
/// its end.
class NameWriter {
public:
  NameWriter(json::OStream &J, StringRef Name, ArrayRef<StringRef> Parts,
             ArrayRef<StringRef> Last)
      : J(J), Name(Name), Parts(Parts), Last(Last) {}
  void write();

private:
  size_t equalFrom(size_t Index) const;
  size_t equalAtEnd() const;
  void writeText(size_t End);

  json::OStream &J;
  StringRef Name;
  ArrayRef<StringRef> Parts, Last;
  /// Parts and bytes that were written.
  size_t Done = 0, DoneBytes = 0;
};
} // namespace

/// Returns the number of equal parts from \p Index on, 0 if they are too short.
size_t NameWriter::equalFrom(size_t Index) const {
  constexpr size_t Worth = 8;
  size_t End = Index, Bytes = 0;
  for (; End < Parts.size() && End < Last.size() && Parts[End] == Last[End];
       ++End)
    Bytes += Parts[End].size();
  return Bytes >= Worth ? End - Index : 0;
}

size_t NameWriter::equalAtEnd() const {
  size_t Count = 0;
  while (Count < Parts.size() && Count < Last.size() &&
         Parts[Parts.size() - 1 - Count] == Last[Last.size() - 1 - Count])
    ++Count;
  return Count;
}

/// Writes new parts, up to \p End.
void NameWriter::writeText(size_t End) {
  size_t Bytes = DoneBytes;
  for (; Done != End; ++Done)
    Bytes += Parts[Done].size();
  if (Bytes != DoneBytes)
    J.value(Name.slice(DoneBytes, Bytes));
  DoneBytes = Bytes;
}

void NameWriter::write() {
  // Names may have different numbers of parts, so compare their ends too.
  size_t End = Parts.size() - equalAtEnd();
  for (size_t Index = 0; Index < End;) {
    size_t Equal = std::min(equalFrom(Index), End - Index);
    if (Equal == 0) {
      ++Index;
      continue;
    }
    writeText(Index);
    J.value(Equal);
    for (; Equal != 0; --Equal, ++Done, ++Index)
      DoneBytes += Parts[Done].size();
  }
  writeText(End);
  J.value(Parts.size() - End);
}

void NameList::write(json::OStream &J) const {
  std::vector<StringRef> Last;
  for (const auto &[Text, Place] : Places) {
    std::vector<StringRef> Parts = getParts(Text);
    J.array([&, &Name = Text] { NameWriter(J, Name, Parts, Last).write(); });
    Last = std::move(Parts);
  }
}

static void writeShare(json::OStream &J, uint64_t Target, uint64_t Library,
                       const LibraryShare &Share, const NameList &Names) {
  NamedSizes Kernels = largestKernels(Share);
  for (uint64_t Value : {Target, Library, Share.Objects, Share.Plain,
                         Share.Stored, Share.Code, Share.Symbols, Share.Debug,
                         Share.Other, Kernels.More, Kernels.MoreSize})
    J.value(Value);
  for (const auto &[Name, Size] : Kernels.Named) {
    J.value(Names.placeOf(Name));
    J.value(Size);
  }
}

static void writeDuplicate(json::OStream &J, const EqualCode &Equal,
                           const NameList &Names) {
  for (uint64_t Value :
       {Names.placeOf(Equal.Target), Equal.Plain, Equal.Objects, Equal.saved()})
    J.value(Value);
  for (StringRef Library : Equal.Libraries)
    J.value(Names.placeOf(Library));
}

std::string tool::reportData(const SizeReport &Report) {
  std::string Data;
  raw_string_ostream OS(Data);
  json::OStream J(OS);
  NameList Names(Report);
  J.object([&] {
    addSums(J, Report);
    J.attributeArray("names", [&] { Names.write(J); });
    J.attributeArray("largest", [&] {
      for (const EqualCode *Equal : largestDuplicates(Report))
        J.array([&] { writeDuplicate(J, *Equal, Names); });
    });
    J.attributeArray("hosts", [&] {
      for (const auto &[Path, Size] : Report.Hosts) {
        J.value(Names.placeOf(Path));
        J.value(Size);
      }
    });
    J.attributeArray("shares", [&] {
      for (const auto &[Target, Libraries] : Report.Targets)
        for (const auto &[Library, Share] : Libraries)
          J.array([&, &Target = Target, &Library = Library, &Share = Share] {
            writeShare(J, Names.placeOf(Target), Names.placeOf(Library), Share,
                       Names);
          });
    });
  });
  return Data;
}
