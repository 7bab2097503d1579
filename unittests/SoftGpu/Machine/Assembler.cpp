//===- Assembler.cpp - machine code from assembler text -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of llvm-mc: parser, streamer, ELF writer.
//
//===----------------------------------------------------------------------===//
#include "Assembler.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"

using namespace llvm;

std::vector<uint8_t> kpack::softgpu::assembleObject(StringRef Processor,
                                                    StringRef Text) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  Triple Machine("amdgcn-amd-amdhsa");
#if LLVM_VERSION_MAJOR >= 22
  const Triple &ForMc = Machine;
#else
  const StringRef ForMc = Machine.str();
#endif
  std::string Problem;
  const Target *T = TargetRegistry::lookupTarget(ForMc, Problem);
  if (!T) {
    ADD_FAILURE() << Problem;
    return {};
  }
  MCTargetOptions Options;
  std::unique_ptr<MCRegisterInfo> Registers(T->createMCRegInfo(ForMc));
  std::unique_ptr<MCAsmInfo> Info(
      T->createMCAsmInfo(*Registers, ForMc, Options));
  std::unique_ptr<MCInstrInfo> Instructions(T->createMCInstrInfo());
  std::unique_ptr<MCSubtargetInfo> Subtarget(
      T->createMCSubtargetInfo(ForMc, Processor, ""));
  SourceMgr Sources;
  Sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(Text), SMLoc());
  MCContext Context(Machine, Info.get(), Registers.get(), Subtarget.get(),
                    &Sources, &Options);
  std::unique_ptr<MCObjectFileInfo> Sections(
      T->createMCObjectFileInfo(Context, /*PIC=*/true));
  Context.setObjectFileInfo(Sections.get());

  SmallString<1024> Bytes;
  raw_svector_ostream OS(Bytes);
  auto *Backend = T->createMCAsmBackend(*Subtarget, *Registers, Options);
  std::unique_ptr<MCStreamer> Streamer(T->createMCObjectStreamer(
      Machine, Context, std::unique_ptr<MCAsmBackend>(Backend),
      Backend->createObjectWriter(OS),
      std::unique_ptr<MCCodeEmitter>(
          T->createMCCodeEmitter(*Instructions, Context)),
      *Subtarget));
  std::unique_ptr<MCAsmParser> Parser(
      createMCAsmParser(Sources, Context, *Streamer, *Info));
  std::unique_ptr<MCTargetAsmParser> TargetParser(
      T->createMCAsmParser(*Subtarget, *Parser, *Instructions, Options));
  Parser->setTargetParser(*TargetParser);
  if (Parser->Run(/*NoInitialTextSection=*/false)) {
    ADD_FAILURE() << "does not assemble for " << Processor.str() << ":\n"
                  << Text.str();
    return {};
  }
  return std::vector<uint8_t>(Bytes.begin(), Bytes.end());
}

std::vector<uint8_t> kpack::softgpu::assemble(StringRef Processor,
                                              StringRef Text) {
  std::vector<uint8_t> File = assembleObject(Processor, Text);
  StringRef Bytes(reinterpret_cast<const char *>(File.data()), File.size());
  auto Object =
      object::ObjectFile::createObjectFile(MemoryBufferRef(Bytes, "assembled"));
  if (!Object) {
    ADD_FAILURE() << toString(Object.takeError());
    return {};
  }
  for (const object::SectionRef &Section : (*Object)->sections()) {
    if (!Section.isText() || Section.getSize() == 0)
      continue;
    StringRef Contents = cantFail(Section.getContents());
    return std::vector<uint8_t>(Contents.begin(), Contents.end());
  }
  ADD_FAILURE() << "no text section";
  return {};
}
