//===- LoadedImage.cpp - an ELF file as a loader maps it ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those of Linux (fs/binfmt_elf.c) and glibc (elf/dl-load.c); the
// stricter one counts. The kernel maps a program and glibc a library, and
// either may be started through the dynamic linker.
//
//===----------------------------------------------------------------------===//
#include "LoadedImage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

std::optional<LoadedImage> LoadedImage::read(StringRef File, Findings &F) {
  LoadedImage Image;
  Image.File = File;
  if (!Image.readHeader(F) || !Image.readProgramHeaders(F))
    return std::nullopt;
  if (Image.Loads.empty()) {
    F.problem("no program header has type PT_LOAD, so nothing is mapped");
    return std::nullopt;
  }
  return Image;
}

/// Machines whose relocations DynamicRelocations.cpp knows, or that HIP
/// programs may run on.
static bool isKnownMachine(uint16_t Machine) {
  return is_contained({ELF::EM_X86_64, ELF::EM_AARCH64, ELF::EM_RISCV,
                       ELF::EM_PPC64, ELF::EM_LOONGARCH},
                      Machine);
}

/// The parts of e_ident that glibc checks beyond class and byte order.
static bool isKnownIdent(StringRef Ident) {
  uint8_t Abi = Ident[ELF::EI_OSABI];
  uint8_t AbiVersion = Ident[ELF::EI_ABIVERSION];
  bool AbiOk = Abi == ELF::ELFOSABI_NONE || Abi == ELF::ELFOSABI_GNU;
  bool VersionOk =
      AbiVersion == 0 || (Abi == ELF::ELFOSABI_GNU && AbiVersion <= 3);
  StringRef Padding = Ident.substr(ELF::EI_PAD, ELF::EI_NIDENT - ELF::EI_PAD);
  return Ident[ELF::EI_VERSION] == ELF::EV_CURRENT && AbiOk && VersionOk &&
         Padding.find_first_not_of('\0') == StringRef::npos;
}

bool LoadedImage::readHeader(Findings &F) {
  if (File.size() < EhdrSize || !File.starts_with(ELF::ElfMagic) ||
      File[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      File[ELF::EI_DATA] != ELF::ELFDATA2LSB) {
    F.problem("not a 64-bit little-endian ELF file");
    return false;
  }
  const char *Header = File.data();
  Type = read16le(Header + 16);
  Machine = read16le(Header + 18);
  Entry = read64le(Header + 24);
  HeadersOffset = read64le(Header + 32);
  if (!isKnownIdent(File) || read32le(Header + 20) != ELF::EV_CURRENT)
    F.problem("the first bytes of its ELF header are not those of a file for "
              "Linux");
  if (Type != ELF::ET_EXEC && Type != ELF::ET_DYN) {
    F.problem("ELF type " + Twine(Type) +
              " is neither an executable nor a shared object");
    return false;
  }
  if (!isKnownMachine(Machine))
    F.problem("ELF machine " + Twine(Machine) +
              " is none that HIP programs run on");
  if (read16le(Header + 54) != PhdrSize) {
    F.problem("e_phentsize is " + Twine(read16le(Header + 54)) + " and not " +
              Twine(PhdrSize));
    return false;
  }
  return true;
}

static Segment readSegment(const char *P) {
  return {read32le(P),      read32le(P + 4),  read64le(P + 8), read64le(P + 16),
          read64le(P + 32), read64le(P + 40), read64le(P + 48)};
}

bool LoadedImage::readProgramHeaders(Findings &F) {
  uint64_t Count = read16le(File.data() + 56);
  if (HeadersOffset > File.size() ||
      Count * PhdrSize > File.size() - HeadersOffset) {
    F.problem(Twine(Count) + " program headers at offset " +
              hexText(HeadersOffset) + " reach beyond the end of the file");
    return false;
  }
  for (uint64_t I = 0; I != Count; ++I) {
    Segments.push_back(readSegment(File.data() + HeadersOffset + I * PhdrSize));
    if (Segments.back().Type == ELF::PT_LOAD && !addLoad(Segments.back(), F))
      return false;
  }
  return true;
}

static std::string nameOf(const Segment &S) {
  return "the PT_LOAD at " + hexText(S.Address);
}

/// Checks that offset and address of \p S match its alignment.
static void checkAlignment(const Segment &S, bool IsMovable, Findings &F) {
  uint64_t Distance = S.Address - S.Offset;
  // The dynamic linker reserves that much additional memory.
  constexpr uint64_t MostAlign = 1 << 30;
  if (S.Align > 1 && (!isPowerOf2_64(S.Align) || S.Align > MostAlign))
    return F.problem(nameOf(S) + " has p_align " + hexText(S.Align) +
                     ", which is no power of two or too large");
  if (IsMovable && S.Align < PageSize)
    return F.problem(nameOf(S) + " has p_align " + hexText(S.Align) +
                     ", which is less than a page");
  uint64_t Align = std::max(S.Align, PageSize);
  if (Distance & (Align - 1))
    F.problem(nameOf(S) + " has file offset " + hexText(S.Offset) +
              ", which is not congruent to its address modulo " +
              hexText(Align));
}

/// True if both segments map the page in which \p A ends and \p B begins; the
/// second mapping replaces the first.
static bool shareAPage(const Segment &A, const Segment &B) {
  uint64_t Last = A.endOfMemory() - (A.MemorySize != 0);
  return Last / PageSize == B.Address / PageSize;
}

static bool isSameMapping(const Segment &A, const Segment &B) {
  return A.Flags == B.Flags && A.Address - A.Offset == B.Address - B.Offset &&
         A.FileSize == A.MemorySize;
}

/// Returns false if later address lookups would be meaningless.
bool LoadedImage::addLoad(Segment S, Findings &F) {
  if (S.Address >= AddressLimit || S.MemorySize >= AddressLimit - S.Address) {
    F.problem(nameOf(S) + " with " + hexText(S.MemorySize) +
              " bytes does not fit the address space");
    return false;
  }
  if (S.FileSize > S.MemorySize) {
    F.problem(nameOf(S) + " has p_filesz " + hexText(S.FileSize) +
              " but p_memsz " + hexText(S.MemorySize));
    S.FileSize = S.MemorySize;
  }
  if (S.Offset > File.size() || S.FileSize > File.size() - S.Offset) {
    F.problem(nameOf(S) + " has " + hexText(S.FileSize) +
              " bytes at file offset " + hexText(S.Offset) +
              ", beyond the end of the file");
    S.Offset = std::min<uint64_t>(S.Offset, File.size());
    S.FileSize = std::min<uint64_t>(S.FileSize, File.size() - S.Offset);
  }
  checkAlignment(S, isMovable(), F);
  if (!Loads.empty()) {
    const Segment &Before = Loads.back();
    if (S.Address < Before.endOfMemory()) {
      F.problem(nameOf(S) + " is not behind the one at " +
                hexText(Before.Address) + " that stands before it");
      return false;
    }
    if (shareAPage(Before, S) && !isSameMapping(Before, S))
      F.problem(nameOf(S) + " maps a page that the one at " +
                hexText(Before.Address) + " maps, too");
  }
  Loads.push_back(S);
  return true;
}

bool LoadedImage::isMovable() const { return Type == ELF::ET_DYN; }

bool LoadedImage::isDebugFile() const {
  const Segment *Dynamic = segment(ELF::PT_DYNAMIC);
  return Dynamic && Dynamic->FileSize == 0 && Dynamic->MemorySize != 0;
}

bool LoadedImage::isProgram() const {
  return Type == ELF::ET_EXEC || segment(ELF::PT_INTERP);
}

const Segment *LoadedImage::segment(uint32_t Type) const {
  auto Found =
      find_if(Segments, [&](const Segment &S) { return S.Type == Type; });
  return Found == Segments.end() ? nullptr : &*Found;
}

const Segment *LoadedImage::loadAt(uint64_t Address) const {
  auto Next =
      upper_bound(Loads, Address, [](uint64_t Position, const Segment &S) {
        return Position < S.Address;
      });
  if (Next == Loads.begin())
    return nullptr;
  const Segment &S = *std::prev(Next);
  return Address < S.endOfMemory() ? &S : nullptr;
}

StringRef LoadedImage::bytesFrom(uint64_t Address) const {
  const Segment *S = loadAt(Address);
  if (!S || Address >= S->endOfFile())
    return StringRef();
  return File.substr(S->Offset, S->FileSize).drop_front(Address - S->Address);
}

std::optional<StringRef> LoadedImage::bytesAt(uint64_t Address,
                                              uint64_t Size) const {
  StringRef Bytes = bytesFrom(Address);
  if (Size > Bytes.size())
    return std::nullopt;
  return Bytes.take_front(Size);
}

std::optional<uint64_t> LoadedImage::offsetOf(uint64_t Address) const {
  const Segment *S = loadAt(Address);
  if (!S || Address >= S->endOfFile())
    return std::nullopt;
  return S->Offset + (Address - S->Address);
}

bool LoadedImage::isMapped(uint64_t Address, uint64_t Size,
                           uint32_t Flags) const {
  const Segment *S = loadAt(Address);
  return S && Size <= S->endOfMemory() - Address && (S->Flags & Flags) == Flags;
}
