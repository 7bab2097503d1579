//===- Segments.cpp - checks of program headers ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks all types but PT_LOAD. Some readers use the address of a segment and
// others its offset, so both have to lead to the same bytes. If a rewriter
// changes only one of them, the program crashes, or the next strip breaks it.
//
//===----------------------------------------------------------------------===//
#include "LoadedImage.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace kpack::hostrewrite::verifier;
using namespace llvm;

static const char *nameOfType(uint32_t Type) {
  switch (Type) {
  case ELF::PT_DYNAMIC:
    return "PT_DYNAMIC";
  case ELF::PT_INTERP:
    return "PT_INTERP";
  case ELF::PT_NOTE:
    return "PT_NOTE";
  case ELF::PT_PHDR:
    return "PT_PHDR";
  case ELF::PT_TLS:
    return "PT_TLS";
  case ELF::PT_GNU_EH_FRAME:
    return "PT_GNU_EH_FRAME";
  case ELF::PT_GNU_PROPERTY:
    return "PT_GNU_PROPERTY";
  case ELF::PT_GNU_RELRO:
    return "PT_GNU_RELRO";
  }
  return nullptr;
}

/// Checks that the bytes of \p S are mapped at its address from its offset.
static void checkPlace(const LoadedImage &Image, const Segment &S,
                       Findings &F) {
  if (S.FileSize == 0)
    return;
  std::string Name = nameOfType(S.Type);
  if (!Image.bytesAt(S.Address, S.FileSize))
    F.problem(Name + " at " + hexText(S.Address) + " with " +
              hexText(S.FileSize) + " bytes is in no PT_LOAD");
  else if (Image.offsetOf(S.Address) != S.Offset)
    F.problem(Name + " has file offset " + hexText(S.Offset) + ", but " +
              hexText(*Image.offsetOf(S.Address)) +
              " is mapped at its address " + hexText(S.Address));
  else if (!Image.isMapped(S.Address, S.FileSize, ELF::PF_R))
    F.problem(Name + " at " + hexText(S.Address) + " is not readable");
}

/// The kernel reads the name by its offset.
static void checkInterpreter(const LoadedImage &Image, const Segment &S,
                             Findings &F) {
  StringRef File = Image.file();
  bool Inside = S.Offset <= File.size() && S.FileSize >= 2 &&
                S.FileSize <= PageSize && S.FileSize <= File.size() - S.Offset;
  StringRef Name = Inside ? File.substr(S.Offset, S.FileSize) : StringRef();
  if (!Name.starts_with("/") || Name.find('\0') != Name.size() - 1)
    F.problem("PT_INTERP names no dynamic linker");
}

/// Checks where the program finds its headers. Linux before 5.18 adds the
/// table's file offset to the start of the first segment, even if another one
/// maps the table.
static void checkHeaderFields(const LoadedImage &Image, Findings &F) {
  const Segment *Own = Image.segment(ELF::PT_PHDR);
  uint64_t Size = Image.segments().size() * PhdrSize;
  if (Own && Image.offsetOf(Own->Address) != Image.headersOffset())
    F.problem("PT_PHDR at " + hexText(Own->Address) +
              " does not lead to the program headers at offset " +
              hexText(Image.headersOffset()));
  if (Own && (Own->FileSize < Size || !Image.bytesAt(Own->Address, Size)))
    F.problem("PT_PHDR has " + hexText(Own->FileSize) + " bytes for " +
              Twine(Image.segments().size()) + " program headers");
  if (!Image.segment(ELF::PT_INTERP))
    return;
  // The dynamic linker derives the load address from PT_PHDR.
  if (!Own && Image.isMovable())
    F.problem("a program that moves, but it has no PT_PHDR");
  const Segment &First = Image.loads().front();
  uint64_t Address = First.Address - First.Offset + Image.headersOffset();
  if (Image.offsetOf(Address) != Image.headersOffset() ||
      !Image.bytesAt(Address, Size))
    F.problem("the program headers at offset " +
              hexText(Image.headersOffset()) + " are not mapped at " +
              hexText(Address) + ", where Linux before 5.18 looks for them");
}

/// The dynamic linker makes whole pages of PT_GNU_RELRO read-only.
static void checkRelro(const LoadedImage &Image, const Segment &S,
                       Findings &F) {
  const Segment *Load = Image.loadAt(S.Address);
  if (!Load || !(Load->Flags & ELF::PF_W) || S.MemorySize >= AddressLimit ||
      S.Address + S.MemorySize > alignTo(Load->endOfMemory(), PageSize))
    F.problem("PT_GNU_RELRO at " + hexText(S.Address) + " with " +
              hexText(S.MemorySize) + " bytes is in no writable PT_LOAD");
}

/// Thread-local variables would be initialized with the contents of \p Other.
static bool coversOther(const Segment &Tls, const Segment &Other) {
  return &Tls != &Other && nameOfType(Other.Type) &&
         Other.Type != ELF::PT_GNU_RELRO && Other.FileSize != 0 &&
         Other.Address < Tls.endOfFile() && Tls.Address < Other.endOfFile();
}

static void checkTls(const LoadedImage &Image, const Segment &S, Findings &F) {
  if (S.FileSize > S.MemorySize || (S.Align > 1 && !isPowerOf2_64(S.Align)) ||
      S.Align > (1 << 20) || S.MemorySize > (uint64_t(1) << 32))
    F.problem("PT_TLS with " + hexText(S.FileSize) + " of " +
              hexText(S.MemorySize) + " bytes and p_align " + hexText(S.Align) +
              " cannot be");
  for (const Segment &Other : Image.segments())
    if (S.FileSize != 0 && coversOther(S, Other))
      F.problem("PT_TLS at " + hexText(S.Address) + " with " +
                hexText(S.FileSize) + " bytes covers a part of " +
                nameOfType(Other.Type));
}

static void checkSegment(const LoadedImage &Image, const Segment &S,
                         Findings &F) {
  if (!nameOfType(S.Type))
    return;
  // The kernel uses PT_INTERP of files without sections, too; libraries may
  // have one, which is ignored.
  if (S.Type == ELF::PT_INTERP)
    checkInterpreter(Image, S, F);
  if (S.Type == ELF::PT_GNU_RELRO)
    return checkRelro(Image, S, F);
  if (S.Type == ELF::PT_TLS)
    checkTls(Image, S, F);
  checkPlace(Image, S, F);
}

void kpack::hostrewrite::verifier::checkSegments(const LoadedImage &Image,
                                                 Findings &F) {
  for (const Segment &S : Image.segments())
    checkSegment(Image, S, F);
  checkHeaderFields(Image, F);
  if (Image.entry() != 0 && Image.isProgram() &&
      !Image.isMapped(Image.entry(), 1, ELF::PF_X))
    F.problem("its entry point " + hexText(Image.entry()) +
              " is in no executable PT_LOAD");
}
