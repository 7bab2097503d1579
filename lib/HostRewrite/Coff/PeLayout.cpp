//===- PeLayout.cpp - Windows file without device code --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file is cut at a few places: at the end of its headers, which may need
// room for a section header, and where bytes are removed or inserted. Sections
// move by multiples of the file's alignment. Bytes outside of sections (symbols
// of MinGW's linker, appended bytes) move along.
//
//===----------------------------------------------------------------------===//
#include "PeLayout.h"

#include "DebugSections.h"
#include "Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <tuple>

using namespace llvm;
using namespace llvm::COFF;

namespace kpack::hostrewrite {

using offload::PeImage;
using Section = PeImage::Section;

/// Name of .hip_fat and .kpackrf sections that nothing refers to any more.
static constexpr StringLiteral OldSectionName = ".hip_old";
/// Addresses in an image are often signed 32-bit numbers.
static constexpr uint64_t MaxImageSize = INT32_MAX;
static constexpr uint32_t ReadOnlyData =
    IMAGE_SCN_CNT_INITIALIZED_DATA | IMAGE_SCN_MEM_READ;

namespace {
/// A place where the file is cut: a range to remove, or an empty range where
/// bytes are inserted.
struct Cut {
  Range Out;
  enum KindTy { Headers, Nothing, Insertion } Kind = Nothing;
};

class PePlanner {
public:
  explicit PePlanner(const PeImage &Image)
      : Image(Image), FileAlign(Image.Optional.FileAlignment),
        MemoryAlign(Image.Optional.SectionAlignment) {
    Plan.Sections = Image.Sections;
    Plan.FirstDebug = FirstDebug = firstDebugSection(Image);
    Plan.ImageSize = Image.Optional.SizeOfImage;
    Plan.InitializedSize = Image.Optional.SizeOfInitializedData;
  }
  Error check();
  void dropContents(Section &S);
  bool mayDrop(size_t Index) const;
  void dropSection(size_t Index);
  Error addSection(StringRef Name, uint64_t Size);
  void insertInto(Section &S, uint64_t Size, uint64_t Before);
  uint64_t nextContents(const Section &S) const;
  Expected<PeLayout> finish();

  PeLayout Plan;
  const PeImage &Image;
  const uint64_t FileAlign, MemoryAlign;
  uint64_t ContentsEnd = 0; // of all sections, in the old file
  size_t FirstDebug;        // of the plan's sections

private:
  Error checkAlignment() const;
  Error checkContents();
  Error dropSignature();
  Error makeHeaderRoom();
  Error cut();
  Error moveSections();
  void moveDebugSections(int64_t Distance);

  std::vector<Range> Contents; // of all sections, sorted
  std::vector<Cut> Cuts;
  uint64_t HeaderGrowth = 0;
  size_t Inserted = 0; // the section with the inserted bytes
};
} // namespace

std::optional<uint64_t> PeLayout::newOffset(uint64_t Offset) const {
  for (const Piece &P : Pieces)
    if (P.Old.contains(Offset))
      return P.NewOffset + (Offset - P.Old.Begin);
  return std::nullopt;
}

static bool hasContents(const Section &S) {
  return S.SizeOfRawData != 0 && S.PointerToRawData != 0;
}

static Range fileRange(const Section &S) {
  return {S.PointerToRawData, uint64_t(S.PointerToRawData) + S.SizeOfRawData};
}

static uint64_t getEnd(const Section &S) {
  uint32_t Size = S.VirtualSize == 0 ? S.SizeOfRawData : S.VirtualSize;
  return uint64_t(S.VirtualAddress) + Size;
}

Error PePlanner::checkAlignment() const {
  if (!isPowerOf2_64(FileAlign) || FileAlign < 512 || FileAlign > 65536 ||
      !isPowerOf2_64(MemoryAlign) || MemoryAlign < FileAlign)
    return Image.damaged("its alignments are none that a loader takes");
  // The loader maps such a file as one piece, so nothing in it may move.
  if (MemoryAlign < 4096)
    return Image.error("its sections are aligned to " + Twine(MemoryAlign) +
                       " bytes, so they cannot be taken apart; link it without "
                       "/align");
  return Error::success();
}

Error PePlanner::checkContents() {
  ContentsEnd = Image.Optional.SizeOfHeaders;
  uint64_t TableEnd =
      Image.TableOffset + Image.Sections.size() * sizeof(Section);
  if (ContentsEnd > Image.Bytes.size() || ContentsEnd < TableEnd)
    return Image.damaged("its headers are cut off");
  uint64_t ImageEnd = 0;
  for (const Section &S : Image.Sections) {
    ImageEnd = std::max(ImageEnd, alignTo(getEnd(S), MemoryAlign));
    if (!hasContents(S))
      continue;
    if (S.PointerToRawData % FileAlign != 0)
      return Image.damaged("the contents of a section are not aligned");
    Contents.push_back(fileRange(S));
  }
  if (ImageEnd != Plan.ImageSize)
    return Image.damaged("its size in memory is not that of its sections");
  llvm::sort(Contents, [](Range A, Range B) { return A.Begin < B.Begin; });
  for (Range R : Contents) {
    if (R.Begin < ContentsEnd)
      return Image.damaged("two sections share bytes of the file");
    ContentsEnd = R.End;
  }
  return Error::success();
}

/// This is the only directory with a file offset instead of an address.
Error PePlanner::dropSignature() {
  object::data_directory Signature = Image.directory(CERTIFICATE_TABLE);
  Range Place = {Signature.RelativeVirtualAddress,
                 uint64_t(Signature.RelativeVirtualAddress) + Signature.Size};
  if (Place.empty())
    return Error::success();
  if (Place.Begin < ContentsEnd || Place.End > Image.Bytes.size())
    return Image.damaged("its signature is not behind its sections");
  Cuts.push_back({Place});
  Plan.LosesSignature = true;
  return Error::success();
}

Error PePlanner::check() {
  if (Error E = checkAlignment())
    return E;
  if (Error E = checkContents())
    return E;
  return dropSignature();
}

void PePlanner::dropContents(Section &S) {
  if (hasContents(S)) {
    Range Out = fileRange(S);
    // Remove padding up to the next section, which is aligned, or to the end.
    if (Out.End != ContentsEnd)
      Out.End = alignTo(Out.End, FileAlign);
    Cuts.push_back({Out});
  }
  Plan.InitializedSize -=
      std::min<uint64_t>(Plan.InitializedSize, uint32_t(S.SizeOfRawData));
  S.SizeOfRawData = 0;
  S.PointerToRawData = 0;
  // Without the flag some tools take a section without bytes for an empty one.
  S.Characteristics =
      (S.Characteristics & ~uint32_t(IMAGE_SCN_CNT_INITIALIZED_DATA)) |
      IMAGE_SCN_CNT_UNINITIALIZED_DATA;
}

/// Moves the plan's debug sections in memory.
void PePlanner::moveDebugSections(int64_t Distance) {
  for (Section &S : drop_begin(Plan.Sections, FirstDebug))
    S.VirtualAddress = S.VirtualAddress + Distance;
  Plan.ImageSize += Distance;
}

/// True if section \p Index ends where the debug sections or the image end.
bool PePlanner::mayDrop(size_t Index) const {
  bool IsLast = FirstDebug == Plan.Sections.size();
  uint64_t Next = IsLast ? Plan.ImageSize
                         : uint32_t(Plan.Sections[FirstDebug].VirtualAddress);
  return Index + 1 == FirstDebug &&
         alignTo(getEnd(Plan.Sections[Index]), MemoryAlign) == Next;
}

/// Removes a section and closes the gap before the debug sections.
void PePlanner::dropSection(size_t Index) {
  Section &S = Plan.Sections[Index];
  dropContents(S);
  moveDebugSections(
      -int64_t(alignTo(getEnd(S), MemoryAlign) - S.VirtualAddress));
  Plan.Sections.erase(Plan.Sections.begin() + Index);
  --FirstDebug;
  --Plan.DebugNumberShift;
}

/// Adds a section after all others except debug sections, in memory and in the
/// file.
Error PePlanner::addSection(StringRef Name, uint64_t Size) {
  uint64_t Room = alignTo(Size, MemoryAlign);
  if (Size > MaxImageSize || Plan.ImageSize + Room > MaxImageSize)
    return Image.error("larger than a Windows program can be with its device "
                       "code; choose fewer targets");
  Section New;
  std::memset(&New, 0, sizeof(New));
  llvm::copy(Name, New.Name);
  bool IsLast = FirstDebug == Plan.Sections.size();
  New.VirtualAddress = IsLast ? uint32_t(Plan.ImageSize)
                              : Plan.Sections[FirstDebug].VirtualAddress;
  New.VirtualSize = Size;
  New.Characteristics = ReadOnlyData;
  moveDebugSections(Room);
  auto Position = Plan.Sections.insert(Plan.Sections.begin() + FirstDebug, New);
  ++FirstDebug;
  ++Plan.DebugNumberShift;
  insertInto(*Position, Size, std::min(ContentsEnd, debugContentsBegin(Image)));
  return Error::success();
}

/// Gives \p S \p Size bytes before offset \p Before of the old file.
void PePlanner::insertInto(Section &S, uint64_t Size, uint64_t Before) {
  Plan.InsertedSize = Size;
  Plan.InsertedRva = S.VirtualAddress;
  S.SizeOfRawData = alignTo(Size, FileAlign);
  Plan.InitializedSize += S.SizeOfRawData;
  Inserted = size_t(&S - Plan.Sections.data());
  Cuts.push_back({{Before, Before}, Cut::Insertion});
}

/// Returns the offset of the first contents after \p S in memory.
uint64_t PePlanner::nextContents(const Section &S) const {
  const Section *Next = nullptr;
  for (const Section &Other : Image.Sections)
    if (hasContents(Other) && Other.VirtualAddress > S.VirtualAddress &&
        (!Next || Other.VirtualAddress < Next->VirtualAddress))
      Next = &Other;
  return Next ? uint32_t(Next->PointerToRawData) : ContentsEnd;
}

/// Headers may grow up to the first section in memory.
Error PePlanner::makeHeaderRoom() {
  uint64_t End = Image.Optional.SizeOfHeaders;
  uint64_t OldEnd = Image.TableOffset + Image.Sections.size() * sizeof(Section);
  uint64_t NewEnd = Image.TableOffset + Plan.Sections.size() * sizeof(Section);
  uint64_t First = MaxImageSize;
  for (const Section &S : Image.Sections)
    First = std::min<uint64_t>(First, S.VirtualAddress);
  if (NewEnd > End) {
    HeaderGrowth = FileAlign;
    if (End % FileAlign != 0 || NewEnd > End + HeaderGrowth ||
        End + HeaderGrowth > First)
      return Image.error("no room for one more section header; link it with "
                         "fewer sections");
  }
  StringRef Behind = Image.Bytes.slice(OldEnd, std::min(NewEnd, End));
  if (Behind.find_first_not_of('\0') != StringRef::npos)
    return Image.error("something stands behind its section headers, where "
                       "one more has to be; convert the file as its linker "
                       "has left it");
  Plan.HeadersSize = End + HeaderGrowth;
  Cuts.push_back({{End, End}, Cut::Headers});
  return Error::success();
}

Error PePlanner::cut() {
  llvm::sort(Cuts, [](const Cut &A, const Cut &B) {
    return std::tuple(A.Out.Begin, A.Kind, A.Out.End) <
           std::tuple(B.Out.Begin, B.Kind, B.Out.End);
  });
  Cuts.push_back({{Image.Bytes.size(), Image.Bytes.size()}});
  uint64_t Old = 0, New = 0;
  for (const Cut &C : Cuts) {
    if (C.Out.Begin < Old && !C.Out.empty())
      return Image.damaged("two sections share bytes of the file");
    if (C.Out.Begin > Old) {
      Plan.Pieces.push_back({{Old, C.Out.Begin}, New});
      New += C.Out.Begin - Old;
      Old = C.Out.Begin;
    }
    Old = std::max(Old, C.Out.End);
    if (C.Kind == Cut::Headers)
      New += HeaderGrowth;
    if (C.Kind != Cut::Insertion)
      continue;
    Plan.InsertedAt = alignTo(New, FileAlign);
    New = Plan.InsertedAt + alignTo(Plan.InsertedSize, FileAlign);
  }
  if (New > UINT32_MAX)
    return Image.error("larger than a Windows file can be with its device "
                       "code; choose fewer targets");
  return Error::success();
}

Error PePlanner::moveSections() {
  auto Move = [&](support::ulittle32_t &Offset) {
    std::optional<uint64_t> New = Plan.newOffset(Offset);
    if (Offset != 0 && New)
      Offset = *New;
    return Offset == 0 || New;
  };
  for (Section &S : Plan.Sections)
    if ((hasContents(S) && !Move(S.PointerToRawData)) ||
        (S.NumberOfRelocations != 0 && !Move(S.PointerToRelocations)) ||
        (S.NumberOfLinenumbers != 0 && !Move(S.PointerToLinenumbers)))
      return Image.damaged("a table stands in its device code");
  Plan.Sections[Inserted].PointerToRawData = Plan.InsertedAt;
  return Error::success();
}

Expected<PeLayout> PePlanner::finish() {
  if (Error E = makeHeaderRoom())
    return std::move(E);
  if (Error E = cut())
    return std::move(E);
  if (Error E = moveSections())
    return std::move(E);
  return std::move(Plan);
}

Expected<std::optional<size_t>> findSection(const PeImage &Image,
                                            StringRef Full) {
  std::optional<size_t> Found;
  for (const auto &[I, S] : enumerate(Image.Sections)) {
    if (!Image.isNamed(S, Full))
      continue;
    if (Found)
      return Image.error("more than one section " + Full + "; link it again");
    Found = I;
  }
  return Found;
}

Expected<PeLayout> planHostOnly(const PeImage &Image, size_t Device,
                                uint64_t MarkerSize) {
  PePlanner P(Image);
  if (Error E = P.check())
    return std::move(E);
  P.dropContents(P.Plan.Sections[Device]);
  if (Error E = P.addSection(offload::PeMarkerSectionName, MarkerSize))
    return std::move(E);
  return P.finish();
}

static void rename(Section &S) { llvm::copy(OldSectionName, S.Name); }

Expected<PeLayout> planFat(const PeImage &Image, uint64_t CodeSize) {
  Expected<std::optional<size_t>> Device =
      findSection(Image, offload::FatBinSectionName);
  if (!Device)
    return Device.takeError();
  Expected<std::optional<size_t>> Marker =
      findSection(Image, offload::PeMarkerSectionName);
  if (!Marker)
    return Marker.takeError();
  PePlanner P(Image);
  if (Error E = P.check())
    return std::move(E);
  std::vector<Section> &Sections = P.Plan.Sections;
  if (*Marker && P.mayDrop(**Marker))
    P.dropSection(**Marker);
  else if (*Marker)
    rename(Sections[**Marker]);
  if (*Device) {
    Section &S = Sections[**Device];
    uint64_t Room = alignTo(getEnd(S), P.MemoryAlign) - S.VirtualAddress;
    if (!hasContents(S) && CodeSize <= Room) {
      S.VirtualSize = std::max<uint64_t>(S.VirtualSize, CodeSize);
      S.Characteristics =
          (S.Characteristics & ~uint32_t(IMAGE_SCN_CNT_UNINITIALIZED_DATA)) |
          IMAGE_SCN_CNT_INITIALIZED_DATA;
      P.insertInto(S, CodeSize, P.nextContents(S));
      return P.finish();
    }
    rename(S);
  }
  if (Error E = P.addSection(offload::FatBinSectionName.take_front(NameSize),
                             CodeSize))
    return std::move(E);
  return P.finish();
}

} // namespace kpack::hostrewrite
