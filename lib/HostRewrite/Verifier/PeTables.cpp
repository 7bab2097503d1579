//===- PeTables.cpp - tables that the Windows loader reads ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks base relocations, imports, exports, thread-local data, unwind tables,
// and for debuggers the debug directory, the only table with file offsets. A
// hostile file can refer to one table any number of times, so all of them share
// a budget.
//
//===----------------------------------------------------------------------===//
#include "LoadedPe.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

static constexpr uint32_t MemExecute = 0x20000000, MemWrite = 0x80000000;

namespace {
class TableChecker {
public:
  TableChecker(const LoadedPe &Image, Findings &F)
      : Image(Image), F(F), Budget(Image.file().size() + 4096) {}
  void run();

private:
  void checkDirectories();
  void checkEntry();
  void checkImports();
  void checkImport(StringRef Descriptor);
  bool checkThunks(uint64_t Table);
  void checkExports();
  void checkExceptions();
  void checkTls();
  void checkLoadConfig();
  void checkDebug();
  bool isText(uint64_t Address);
  bool spend(uint64_t Amount);

  const LoadedPe &Image;
  Findings &F;
  uint64_t Budget;
};
} // namespace

bool TableChecker::spend(uint64_t Amount) {
  if (Amount <= Budget)
    return Budget -= Amount, true;
  if (Budget != 0)
    F.problem("tables of it share their bytes");
  return Budget = 0, false;
}

/// Each directory has to be in the memory of one section.
void TableChecker::checkDirectories() {
  for (size_t I = 0; I != PeDirectoryCount; ++I) {
    PeDirectory D = Image.directory(I);
    if (I == PeSignature || I == PeGlobalPointer || D.Size == 0)
      continue;
    if (!Image.isMapped(D.Address, D.Size))
      F.problem("its directory " + Twine(I) + ", " + hexText(D.Size) +
                " bytes at " + hexText(D.Address) + ", is not mapped");
  }
}

void TableChecker::checkEntry() {
  constexpr uint16_t IsLibrary = 0x2000;
  uint64_t Entry = Image.optional32(16);
  if (Entry == 0 && (Image.header16(18) & IsLibrary))
    return;
  if (!Image.isMapped(Entry, 1, MemExecute))
    F.problem("its entry point " + hexText(Entry) + " is not executable");
}

/// True for a terminated, nonempty name.
bool TableChecker::isText(uint64_t Address) {
  constexpr size_t Longest = 4096;
  StringRef Text = Image.bytesFrom(Address).take_front(Longest);
  size_t Size = Text.find('\0');
  return Size != StringRef::npos && Size != 0 && spend(Size);
}

bool TableChecker::checkThunks(uint64_t Table) {
  for (uint64_t Position = Table;; Position += 8) {
    std::optional<StringRef> Thunk = Image.bytesAt(Position, 8);
    if (!Thunk || !spend(8))
      return false;
    uint64_t Value = read64le(Thunk->data());
    if (Value == 0)
      return true;
    // An import is a number, or a hint and a name.
    bool IsNumber = Value >> 63;
    if (!IsNumber && !isText(Value + 2))
      return false;
  }
}

void TableChecker::checkImport(StringRef Descriptor) {
  uint64_t Names = read32le(Descriptor.data());
  uint64_t Library = read32le(Descriptor.data() + 12);
  uint64_t Thunks = read32le(Descriptor.data() + 16);
  if (!isText(Library))
    return F.problem("an imported library at " + hexText(Library) +
                     " has no name");
  if (!Image.isMapped(Thunks, 8) || !checkThunks(Names ? Names : Thunks))
    F.problem("the functions of a library, listed at " + hexText(Thunks) +
              ", have no names");
}

void TableChecker::checkImports() {
  constexpr uint64_t Size = 20;
  PeDirectory D = Image.directory(PeImports);
  if (D.Address == 0 || D.Size == 0)
    return;
  for (uint64_t Address = D.Address;; Address += Size) {
    std::optional<StringRef> Descriptor = Image.bytesAt(Address, Size);
    if (!Descriptor || !spend(Size))
      return F.problem("its list of imported libraries has no end");
    if (read32le(Descriptor->data() + 12) == 0 ||
        read32le(Descriptor->data() + 16) == 0)
      return;
    checkImport(*Descriptor);
  }
}

void TableChecker::checkExports() {
  PeDirectory D = Image.directory(PeExports);
  if (D.Size == 0)
    return;
  std::optional<StringRef> Table = Image.bytesAt(D.Address, 40);
  if (!Table)
    return F.problem("its exports are not in the file");
  auto Field = [&](size_t Offset) -> uint64_t {
    return read32le(Table->data() + Offset);
  };
  uint64_t Functions = Field(20), Names = Field(24);
  if (!isText(Field(12)) ||
      (Functions && !Image.bytesAt(Field(28), Functions * 4)) ||
      (Names && (!Image.bytesAt(Field(32), Names * 4) ||
                 !Image.bytesAt(Field(36), Names * 2))))
    return F.problem("tables of its exports are not in the file");
  for (uint64_t I = 0; I != Functions && spend(4); ++I) {
    uint64_t Offset = read32le(Image.bytesFrom(Field(28)).data() + I * 4);
    if (Offset != 0 && !Image.isMapped(Offset, 1))
      return F.problem("an exported address, " + hexText(Offset) +
                       ", is not mapped");
  }
}

/// On x86-64 this is a sorted list of functions with their unwind information.
void TableChecker::checkExceptions() {
  constexpr uint16_t Amd64 = 0x8664;
  PeDirectory D = Image.directory(PeExceptions);
  if (D.Size == 0 || Image.header16(0) != Amd64)
    return;
  std::optional<StringRef> Table = Image.bytesAt(D.Address, D.Size);
  if (!Table || D.Size % 12 != 0)
    return F.problem("its table of functions is not in the file");
  uint64_t Before = 0;
  for (uint64_t I = 0; I != D.Size; I += 12) {
    uint64_t Begin = read32le(Table->data() + I);
    uint64_t End = read32le(Table->data() + I + 4);
    uint64_t Unwind = read32le(Table->data() + I + 8);
    if (Begin < Before || End < Begin ||
        (Begin != End && (!Image.isMapped(Begin, End - Begin) ||
                          !Image.isMapped(Unwind & ~uint64_t(1), 4))))
      return F.problem("its table of functions has " + hexText(Begin) + " to " +
                       hexText(End) + ", which is none");
    Before = Begin;
  }
}

void TableChecker::checkTls() {
  PeDirectory D = Image.directory(PeTls);
  if (D.Size == 0)
    return;
  std::optional<StringRef> Table = Image.bytesAt(D.Address, 40);
  if (!Table)
    return F.problem("its thread-local data is not described in the file");
  auto Address = [&](size_t Offset) {
    return read64le(Table->data() + Offset) - Image.base();
  };
  if (Address(8) < Address(0) ||
      (Address(8) != Address(0) &&
       !Image.isMapped(Address(0), Address(8) - Address(0))) ||
      !Image.isMapped(Address(16), 4, MemWrite))
    F.problem("its thread-local data is not mapped");
  if (read64le(Table->data() + 24) == 0)
    return;
  for (uint64_t Offset = Address(24);; Offset += 8) {
    std::optional<StringRef> Callback = Image.bytesAt(Offset, 8);
    if (!Callback || !spend(8))
      return F.problem("its list of thread callbacks has no end");
    uint64_t Function = read64le(Callback->data());
    if (Function == 0)
      return;
    if (!Image.isMapped(Function - Image.base(), 1, MemExecute))
      return F.problem("a thread callback is not executable");
  }
}

void TableChecker::checkLoadConfig() {
  constexpr uint64_t CookiePlace = 88;
  PeDirectory D = Image.directory(PeLoadConfig);
  if (D.Size == 0)
    return;
  std::optional<StringRef> Table = Image.bytesAt(D.Address, 4);
  if (Table)
    Table = Image.bytesAt(D.Address, read32le(Table->data()));
  if (!Table)
    return F.problem("its load configuration is not in the file");
  if (Table->size() < CookiePlace + 8)
    return;
  uint64_t Cookie = read64le(Table->data() + CookiePlace);
  if (Cookie != 0 && !Image.isMapped(Cookie - Image.base(), 8, MemWrite))
    F.problem("its security cookie is not writable");
}

/// A mapped entry has an address and an offset, which have to match.
void TableChecker::checkDebug() {
  constexpr uint64_t Size = 28;
  PeDirectory D = Image.directory(PeDebug);
  std::optional<StringRef> Table = Image.bytesAt(D.Address, D.Size);
  if (D.Size == 0)
    return;
  if (!Table || D.Size % Size != 0)
    return F.problem("its debug directory is not in the file");
  for (uint64_t I = 0; I != D.Size; I += Size) {
    const char *P = Table->data() + I;
    uint64_t Length = read32le(P + 16), Address = read32le(P + 20);
    uint64_t Offset = read32le(P + 24);
    if (Offset == 0 || Length == 0)
      continue;
    std::optional<StringRef> There = Image.bytesAt(Address, Length);
    if (Address != 0 && There && Image.offsetOf(*There) != Offset)
      F.problem("debug information at " + hexText(Address) +
                " in memory is said to be at " + hexText(Offset) +
                " of the file, and is at " + hexText(Image.offsetOf(*There)));
    if (Offset > Image.file().size() || Length > Image.file().size() - Offset)
      F.problem("debug information at " + hexText(Offset) +
                " is not in the file");
  }
}

void TableChecker::run() {
  checkDirectories();
  checkEntry();
  checkImports();
  checkExports();
  checkExceptions();
  checkTls();
  checkLoadConfig();
  checkDebug();
}

void verifier::checkPeTables(const LoadedPe &Image, Findings &F) {
  TableChecker(Image, F).run();
}

std::vector<uint64_t> verifier::readPeRelocations(const LoadedPe &Image,
                                                  Findings &F) {
  constexpr unsigned Padding = 0, Pointer64 = 10;
  std::vector<uint64_t> Places;
  PeDirectory D = Image.directory(PeRelocations);
  if (!Image.isMovable() || D.Size == 0)
    return Places;
  std::optional<StringRef> Table = Image.bytesAt(D.Address, D.Size);
  if (!Table)
    return F.problem("its base relocations are not in the file"), Places;
  for (StringRef Left = *Table; !Left.empty();) {
    uint64_t Page = Left.size() < 8 ? 0 : read32le(Left.data());
    uint64_t Size = Left.size() < 8 ? 0 : read32le(Left.data() + 4);
    if (Size < 8 || Size > Left.size() || Size % 2 != 0)
      return F.problem("its base relocations are cut off"), Places;
    for (uint64_t I = 8; I != Size; I += 2) {
      uint16_t Entry = read16le(Left.data() + I);
      uint64_t Address = Page + (Entry & 0xfff);
      if (Entry >> 12 == Padding)
        continue;
      if (Entry >> 12 != Pointer64 || !Image.isMapped(Address, 8))
        F.problem("a base relocation of type " + Twine(Entry >> 12) + " for " +
                  hexText(Address) + ", where none can be");
      Places.push_back(Address);
    }
    Left = Left.drop_front(Size);
  }
  return Places;
}
