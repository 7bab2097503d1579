//===- softgpu-coverage.cpp - test tool: instructions not emulated --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softgpu-coverage [--gpu=<processor>]... <file>...
// softgpu-coverage --encodings=<processor>
//
// Decodes all code of the AMDGPU code objects in files of any kind (code
// objects, shared libraries, uncompressed bundles: they are looked for by their
// ELF header) and prints what is refused, with a count and one example. For
// test/SoftGpu/coverage.test, and for developers with programs of their own.
// Exit status 1 when anything is refused, or nothing was decoded. The second
// form tries every opcode field instead and prints the mnemonics that LLVM
// knows and the interpreter does not; its exit status is 0.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/Opcodes.h"

#include "SoftGpu/Isa/Decoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace llvm;
using namespace llvm::object;
using namespace kpack::softgpu;

static cl::list<std::string> Files(cl::Positional);
static cl::opt<std::string>
    Encodings("encodings", cl::desc("list mnemonics without semantics"));
static cl::list<std::string> Gpus("gpu",
                                  cl::desc("only code objects for this one"));

namespace {
struct Refusal {
  uint64_t Count = 0;
  std::string Example;
};

struct Coverage {
  uint64_t Instructions = 0, CodeObjects = 0;
  std::set<std::string> Mnemonics;
  std::map<std::string, Refusal> Refused; ///< by processor and message

  void addFile(StringRef Name, StringRef Bytes);
  void addCodeObject(const ELF64LEObjectFile &Object);
  void addSection(const kpack::softgpu::Target &Isa, const SectionRef &Section,
                  const std::map<uint64_t, bool> &Wave64);
  void addRefusal(StringRef Processor, const DecodeError &E, bool AfterRefusal);
};
} // namespace

static void fail(const Twine &Message) {
  errs() << "softgpu-coverage: error: " << Message << '\n';
  exit(1);
}

/// The mnemonic of printed text, without the suffix of its encoding.
static std::string getMnemonic(StringRef Printed) {
  StringRef Name = Printed.take_until([](char C) { return isSpace(C); });
  for (StringRef Suffix : {"_e32", "_e64", "_dpp", "_sdwa", "_e64_dpp"})
    Name.consume_back(Suffix);
  return Name.str();
}

/// The wave size of each kernel's code, by address; of all code in front of the
/// first under 0.
static std::map<uint64_t, bool> waveSizes(const ELF64LEObjectFile &Object,
                                          const kpack::softgpu::Target &Isa) {
  std::map<uint64_t, bool> Sizes;
  for (const ELFSymbolRef &Symbol : Object.getDynamicSymbolIterators()) {
    StringRef Name = cantFail(Symbol.getName());
    auto Section = Symbol.getSection();
    if (!Name.ends_with(".kd") || !Section || *Section == Object.section_end())
      continue;
    uint64_t Address = cantFail(Symbol.getAddress());
    StringRef Contents = cantFail((*Section)->getContents());
    const char *Descriptor =
        Contents.data() + (Address - (*Section)->getAddress());
    auto Offset = support::endian::read64le(
        Descriptor + amdhsa::KERNEL_CODE_ENTRY_BYTE_OFFSET_OFFSET);
    uint16_t Properties = support::endian::read16le(
        Descriptor + amdhsa::KERNEL_CODE_PROPERTIES_OFFSET);
    bool IsWave32 =
        Properties & amdhsa::KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32;
    Sizes[Address + Offset] = !IsWave32;
  }
  Sizes.try_emplace(0, Sizes.empty() ? Isa.isGfx9() : Sizes.begin()->second);
  return Sizes;
}

/// The size of what is refused is not known: undecodable words right behind it
/// are its own.
void Coverage::addRefusal(StringRef Processor, const DecodeError &E,
                          bool AfterRefusal) {
  if (E.Instruction.empty() && AfterRefusal)
    return;
  std::string Reason = E.Detail;
  if (!E.Instruction.empty())
    Reason = getMnemonic(E.Instruction) + ": " +
             StringRef(E.Detail).split("': ").second.str();
  Refusal &R = Refused[Processor.str() + ": " + Reason];
  ++R.Count;
  R.Example = E.Instruction;
}

void Coverage::addSection(const kpack::softgpu::Target &Isa,
                          const SectionRef &Section,
                          const std::map<uint64_t, bool> &Wave64) {
  StringRef Contents = cantFail(Section.getContents());
  ArrayRef<uint8_t> Code(Contents.bytes_begin(), Contents.size());
  std::unique_ptr<Decoder> Decoders[2];
  bool AfterRefusal = false;
  for (uint64_t At = 0; At + 4 <= Code.size();) {
    uint64_t Address = Section.getAddress() + At;
    bool Size64 = std::prev(Wave64.upper_bound(Address))->second;
    std::unique_ptr<Decoder> &D = Decoders[Size64];
    if (!D) {
      auto Made = Decoder::create(Isa, Size64, machineSemantics());
      if (!Made)
        fail(toString(Made.takeError()));
      D = std::move(*Made);
    }
    // Between functions: zeros, s_code_end.
    uint32_t Word = support::endian::read32le(Code.data() + At);
    if (Word == 0 || Word == 0xbf9f0000) {
      At += 4;
      continue;
    }
    auto I = D->decode(Code.drop_front(At), Address);
    ++Instructions;
    if (I) {
      Mnemonics.insert((*I)->Mnemonic);
      At += (*I)->Size;
      AfterRefusal = false;
      continue;
    }
    handleAllErrors(I.takeError(), [&](const DecodeError &E) {
      addRefusal(Isa.Processor, E, AfterRefusal);
      AfterRefusal |= !E.Instruction.empty();
    });
    At += 4;
  }
}

void Coverage::addCodeObject(const ELF64LEObjectFile &Object) {
  std::string Processor = Object.tryGetCPUName().value_or("").str();
  if (!Gpus.empty() && !is_contained(Gpus, Processor))
    return;
  auto Isa = kpack::softgpu::Target::get(Processor);
  if (!Isa)
    return consumeError(Isa.takeError());
  ++CodeObjects;
  std::map<uint64_t, bool> Wave64 = waveSizes(Object, *Isa);
  for (const SectionRef &Section : Object.sections())
    if (Section.isText())
      addSection(*Isa, Section, Wave64);
}

void Coverage::addFile(StringRef Name, StringRef Bytes) {
  static constexpr StringLiteral Magic("\177ELF\2\1\1");
  for (size_t At = Bytes.find(Magic); At != StringRef::npos;
       At = Bytes.find(Magic, At + 1)) {
    StringRef Elf = Bytes.substr(At);
    if (Elf.size() < 64 ||
        support::endian::read16le(Elf.data() + 18) != ELF::EM_AMDGPU)
      continue;
    auto Object = ELF64LEObjectFile::create(MemoryBufferRef(Elf, Name));
    if (!Object)
      fail(Name + ": " + toString(Object.takeError()));
    addCodeObject(*Object);
  }
}

/// Opcodes stand in the upper half of the first word; VOP1 has them in bits 9
/// to 16 of it, VOPD and DS also in bits 17 and up. The second word names
/// operands: s0, v0 in all fields, AccVGPRs.
static int listEncodings(StringRef Processor) {
  auto Isa = kpack::softgpu::Target::get(Processor);
  if (!Isa)
    fail(toString(Isa.takeError()));
  auto D = Decoder::create(*Isa, /*Wave64=*/Isa->isGfx9(), machineSemantics());
  if (!D)
    fail(toString(D.takeError()));
  std::set<std::string> Without;
  auto Try = [&](uint32_t First, uint32_t Second) {
    uint8_t Bytes[20] = {};
    support::endian::write32le(Bytes, First);
    support::endian::write32le(Bytes + 4, Second);
    auto I = (*D)->decode(Bytes, 0x1000);
    if (I)
      return;
    handleAllErrors(I.takeError(), [&](const DecodeError &E) {
      std::string Name = getMnemonic(E.Instruction);
      if (!Name.empty() && !findOpcode(Name))
        Without.insert(Name);
    });
  };
  constexpr uint32_t Vop1 = 0x3f, Sop1 = 0x17d;
  for (uint32_t High = 0; High < 0x10000; ++High)
    for (uint32_t Second : {0x00000000u, 0x04020100u, 0x1c020100u}) {
      Try(High << 16, Second);
      if (High >> 9 != Vop1 && High >> 7 != Sop1)
        continue;
      for (uint32_t Low = 0; Low < 0x100; ++Low)
        for (uint32_t Source : {0x00u, 0x100u})
          Try(High << 16 | Low << (High >> 9 == Vop1 ? 9 : 8) | Source, Second);
    }
  for (const std::string &Name : Without)
    outs() << Name << '\n';
  return 0;
}

int main(int Argc, char **Argv) {
  cl::ParseCommandLineOptions(Argc, Argv);
  if (!Encodings.empty())
    return listEncodings(Encodings);
  Coverage All;
  for (const std::string &Name : Files) {
    auto File = MemoryBuffer::getFile(Name, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
    if (!File)
      fail(Name + ": " + File.getError().message());
    All.addFile(Name, (*File)->getBuffer());
  }
  outs() << All.CodeObjects << " code objects, " << All.Instructions
         << " instructions, " << All.Mnemonics.size() << " mnemonics, "
         << All.Refused.size() << " refusals\n";
  for (const auto &[What, R] : All.Refused)
    outs() << What << " (" << R.Count << " times): " << R.Example << '\n';
  return All.Refused.empty() && All.Instructions ? 0 : 1;
}
