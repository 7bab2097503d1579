//===- Seam.cpp - assembly stubs of undefined kernels ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The slots have the layout of ck_jit_slot in kpack/CkJit/Runtime.h.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Seam/Seam.h"

#include "ToolSupport/ElfFile.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/StaticLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

/// Adds all symbols that can be read. Returns the errors of the others.
static Error addFrom(const ElfFile &Object, ObjectSymbols &Result) {
  Result.IsX86 &= Object.getHeader().e_machine == ELF::EM_X86_64;
  Expected<ArrayRef<ElfFile::Type::Shdr>> Sections = Object.sections();
  if (!Sections)
    return Sections.takeError();
  const auto *Table = find_if(*Sections, [](const ElfFile::Type::Shdr &S) {
    return S.sh_type == ELF::SHT_SYMTAB;
  });
  if (Table == Sections->end())
    return Error::success();
  Expected<ArrayRef<ElfFile::Type::Sym>> Symbols = Object.symbols(Table);
  if (!Symbols)
    return Symbols.takeError();
  Expected<StringRef> Names = Object.getStringTableForSymtab(*Table);
  if (!Names)
    return Names.takeError();
  Error Problems = Error::success();
  for (const ElfFile::Type::Sym &Symbol : *Symbols) {
    Expected<StringRef> Name = Symbol.getName(*Names);
    if (!Name) {
      Problems = joinErrors(std::move(Problems), Name.takeError());
      continue;
    }
    bool IsUndefined = Symbol.st_shndx == ELF::SHN_UNDEF;
    if (!Name->empty() && Symbol.getBinding() != ELF::STB_LOCAL)
      (IsUndefined ? Result.Undefined : Result.Defined).insert(Name->str());
  }
  return Problems;
}

static ErrorOr<std::unique_ptr<MemoryBuffer>> openFile(StringRef Path) {
  return MemoryBuffer::getFile(Path, /*IsText=*/false,
                               /*RequiresNullTerminator=*/false);
}

Expected<ObjectSymbols> ckjit::symbolsOfObject(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = openFile(Path);
  if (!File)
    return objectError(Path, File.getError().message());
  Expected<ElfFile> Object = ElfFile::create((*File)->getBuffer());
  if (!Object || Object->getHeader().e_machine != ELF::EM_X86_64) {
    consumeError(Object.takeError());
    return objectError(Path, "not an ELF object of x86-64; the link seam has "
                             "stubs for that alone");
  }
  ObjectSymbols Found;
  if (Error E = addFrom(*Object, Found))
    return objectError(Path, std::move(E));
  return Found;
}

/// Ignores the symbols of an ELF file for another machine.
static void addFromBytes(StringRef Bytes, ObjectSymbols &Symbols,
                         bool IsMember) {
  Expected<ElfFile> Object = ElfFile::create(Bytes);
  if (!Object) {
    Symbols.IsX86 &= !Bytes.starts_with(ELF::ElfMagic);
    return consumeError(Object.takeError());
  }
  if (IsMember || Object->getHeader().e_type == ELF::ET_REL)
    consumeError(addFrom(*Object, Symbols));
}

void ckjit::addSymbols(StringRef Path, ObjectSymbols &Symbols) {
  // The linker reports errors of a file.
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = openFile(Path);
  if (!File)
    return;
  StringRef Bytes = (*File)->getBuffer();
  if (!startsStaticLibrary(Bytes))
    return addFromBytes(Bytes, Symbols, /*IsMember=*/false);
  Expected<StaticLibrary> Library =
      StaticLibrary::read((*File)->getMemBufferRef());
  if (!Library)
    return consumeError(Library.takeError());
  for (const StaticLibrary::Member &Member : Library->members())
    addFromBytes(Member.Bytes, Symbols, /*IsMember=*/true);
}

/// The common code of all first calls: %r11 is the slot. It saves all registers
/// that may hold arguments: the integer ones, %rax (number of vector registers
/// of a variadic call), %r10 (static chain) and 128 bits of each vector
/// register (a blob with wider arguments is compiled with the library,
/// Definitions.cpp). Exceptions pass through: the frame has unwind information.
static constexpr StringLiteral Resolver = R"(
	.p2align 4
	.type ck_jit_seam_resolve,@function
ck_jit_seam_resolve:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq $192, %rsp
	movq %rdi, (%rsp)
	movq %rsi, 8(%rsp)
	movq %rdx, 16(%rsp)
	movq %rcx, 24(%rsp)
	movq %r8, 32(%rsp)
	movq %r9, 40(%rsp)
	movq %rax, 48(%rsp)
	movq %r10, 56(%rsp)
	movaps %xmm0, 64(%rsp)
	movaps %xmm1, 80(%rsp)
	movaps %xmm2, 96(%rsp)
	movaps %xmm3, 112(%rsp)
	movaps %xmm4, 128(%rsp)
	movaps %xmm5, 144(%rsp)
	movaps %xmm6, 160(%rsp)
	movaps %xmm7, 176(%rsp)
	movq %r11, %rdi
	callq ck_jit_resolve_or_throw@PLT
	movq %rax, %r11
	movaps 176(%rsp), %xmm7
	movaps 160(%rsp), %xmm6
	movaps 144(%rsp), %xmm5
	movaps 128(%rsp), %xmm4
	movaps 112(%rsp), %xmm3
	movaps 96(%rsp), %xmm2
	movaps 80(%rsp), %xmm1
	movaps 64(%rsp), %xmm0
	movq 56(%rsp), %r10
	movq 48(%rsp), %rax
	movq 40(%rsp), %r9
	movq 32(%rsp), %r8
	movq 24(%rsp), %rcx
	movq 16(%rsp), %rdx
	movq 8(%rsp), %rsi
	movq (%rsp), %rdi
	leave
	.cfi_def_cfa %rsp, 8
	jmpq *%r11
	.cfi_endproc
	.size ck_jit_seam_resolve, .-ck_jit_seam_resolve
)";

Error ckjit::checkNoData(const std::set<std::string> &Undefined,
                         const SymbolTable &Symbols) {
  for (const std::string &Symbol : Undefined)
    if (StringRef Stem = Symbols.blobOfData(Symbol); !Stem.empty())
      return objectError(Symbol,
                         "is a variable of the blob " + Stem +
                             ", whose address nobody can be given late; "
                             "compile that source as usual, as no blob");
  return Error::success();
}

/// Returns the instructions of a function that returns \p C.
static std::string returnConstant(const ConstantResult &C) {
  std::string Bits = "$0x" + utohexstr(C.Bits);
  switch (C.What) {
  case ConstantResult::Kind::Integer:
    return "\tmovabsq " + Bits + ", %rax\n\tretq\n";
  case ConstantResult::Kind::Float:
    return "\tmovl " + Bits + ", %eax\n\tmovd %eax, %xmm0\n\tretq\n";
  case ConstantResult::Kind::Double:
    break;
  }
  return "\tmovabsq " + Bits + ", %rax\n\tmovq %rax, %xmm0\n\tretq\n";
}

static void writeFunction(raw_ostream &OS, StringRef Symbol, StringRef Body) {
  OS << "\n\t.p2align 4\n\t.globl \"" << Symbol << "\"\n\t.hidden \"" << Symbol
     << "\"\n\t.type \"" << Symbol << "\",@function\n\"" << Symbol
     << "\":\n\t.cfi_startproc\n\tendbr64\n"
     << Body << "\t.cfi_endproc\n\t.size \"" << Symbol << "\", .-\"" << Symbol
     << "\"\n";
}

std::string ckjit::seamAssembly(std::set<std::string> Undefined,
                                const SymbolTable &Symbols) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "\t.text\n" << Resolver;
  std::map<std::string, unsigned> Stems;
  std::vector<std::pair<std::string, unsigned>> Slots; // symbol, stem
  for (const std::string &Symbol : Undefined) {
    StringRef Stem = Symbols.getBlob(Symbol);
    if (Stem.empty())
      continue;
    if (const ConstantResult *Constant = Symbols.findConstant(Symbol)) {
      writeFunction(OS, Symbol, returnConstant(*Constant));
      continue;
    }
    unsigned Index = Slots.size();
    Slots.emplace_back(Symbol,
                       Stems.emplace(Stem.str(), Stems.size()).first->second);
    writeFunction(OS, Symbol,
                  "\tjmpq *.Lslot" + std::to_string(Index) + "(%rip)\n");
    OS << ".Lresolve" << Index << ":\n\t.cfi_startproc\n\tendbr64\n"
       << "\tleaq .Lslot" << Index
       << "(%rip), %r11\n\tjmp ck_jit_seam_resolve\n\t.cfi_endproc\n";
  }
  OS << "\n\t.section .rodata.str1.1,\"aMS\",@progbits,1\n";
  for (const auto &[Stem, Index] : Stems)
    OS << ".Lstem" << Index << ":\n\t.asciz \"" << Stem << "\"\n";
  for (size_t I = 0; I != Slots.size(); ++I)
    OS << ".Lname" << I << ":\n\t.asciz \"" << Slots[I].first << "\"\n";
  OS << "\n\t.data\n\t.p2align 3\n\t.hidden ck_jit_embedded_manifest\n";
  for (size_t I = 0; I != Slots.size(); ++I)
    OS << ".Lslot" << I << ":\n\t.quad .Lresolve" << I << "\n\t.quad .Lstem"
       << Slots[I].second << "\n\t.quad .Lname" << I
       << "\n\t.quad ck_jit_embedded_manifest\n";
  OS << "\n\t.section .note.GNU-stack,\"\",@progbits\n";
  return Text;
}
