//===- Assembler.cpp - clang -cc1as in this process -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang's assembler is in no library, only its parts are. This one accepts the
// few arguments that the driver passes for the file that embeds device code,
// and refuses all others.
//
//===----------------------------------------------------------------------===//
#include "Tools.h"

#include "llvm/ADT/StringExtras.h"
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
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace kpack;
using namespace llvm;

namespace {

/// The arguments of an assembler run.
struct Assembly {
  std::string Triple, Cpu, Features, Input, Output;
  std::string Directory, Producer, MainFile;
  unsigned DwarfVersion = 0;

  /// Returns false for an unknown argument.
  bool parse(ArrayRef<const char *> Args);
};

} // namespace

bool Assembly::parse(ArrayRef<const char *> Args) {
  std::vector<std::string> AllFeatures;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg.consume_front("-fdebug-compilation-dir=")) {
      Directory = Arg.str();
    } else if (Arg.consume_front("-dwarf-version=")) {
      if (Arg.getAsInteger(10, DwarfVersion))
        return false;
    } else if (!Arg.starts_with("-")) {
      if (!Input.empty())
        return false;
      Input = Arg.str();
    } else {
      if (++I == Args.size())
        return false;
      StringRef Value = Args[I];
      if (Arg == "-triple")
        Triple = Value.str();
      else if (Arg == "-target-cpu")
        Cpu = Value.str();
      else if (Arg == "-target-feature")
        AllFeatures.push_back(Value.str());
      else if (Arg == "-dwarf-debug-producer")
        Producer = Value.str();
      else if (Arg == "-main-file-name")
        MainFile = Value.str();
      else if (Arg == "-o")
        Output = Value.str();
      else if ((Arg != "-filetype" || Value != "obj") &&
               (Arg != "-mrelocation-model" || Value != "pic"))
        return false;
    }
  }
  Features = join(AllFeatures, ",");
  return !Input.empty() && !Output.empty() && Output != "-" && DwarfVersion;
}

static bool assemble(const Assembly &A, const Target &For,
                     std::unique_ptr<MemoryBuffer> Text,
                     raw_fd_ostream &Output) {
  Triple Machine(Triple::normalize(A.Triple));
  SourceMgr Sources;
  Sources.AddNewSourceBuffer(std::move(Text), SMLoc());
  MCTargetOptions Options;
  std::unique_ptr<MCRegisterInfo> Registers(For.createMCRegInfo(Machine));
  std::unique_ptr<MCAsmInfo> Syntax(
      For.createMCAsmInfo(*Registers, Machine, Options));
  std::unique_ptr<MCSubtargetInfo> Processor(
      For.createMCSubtargetInfo(Machine, A.Cpu, A.Features));
  if (!Processor)
    return false;
  MCContext Context(Machine, Syntax.get(), Registers.get(), Processor.get(),
                    &Sources, &Options);
  std::unique_ptr<MCObjectFileInfo> Layout(
      For.createMCObjectFileInfo(Context, /*PIC=*/true));
  Context.setObjectFileInfo(Layout.get());
  Context.setDwarfVersion(A.DwarfVersion);
  Context.setDwarfDebugProducer(A.Producer);
  Context.setCompilationDir(A.Directory);
  Context.setMainFileName(A.MainFile);
  std::unique_ptr<MCInstrInfo> Instructions(For.createMCInstrInfo());
  std::unique_ptr<MCAsmBackend> Backend(
      For.createMCAsmBackend(*Processor, *Registers, Options));
  std::unique_ptr<MCObjectWriter> Writer = Backend->createObjectWriter(Output);
  std::unique_ptr<MCStreamer> Streamer(For.createMCObjectStreamer(
      Machine, Context, std::move(Backend), std::move(Writer),
      std::unique_ptr<MCCodeEmitter>(
          For.createMCCodeEmitter(*Instructions, Context)),
      *Processor));
  std::unique_ptr<MCAsmParser> Parser(
      createMCAsmParser(Sources, Context, *Streamer, *Syntax));
  std::unique_ptr<MCTargetAsmParser> TargetParser(
      For.createMCAsmParser(*Processor, *Parser, *Instructions, Options));
  if (!TargetParser)
    return false;
  Streamer->initSections(/*NoExecStack=*/false, *Processor);
  Parser->setTargetParser(*TargetParser);
  return !Parser->Run(/*NoInitialTextSection=*/false);
}

std::optional<int> jit::runAssembler(ArrayRef<const char *> Args) {
  Assembly A;
  if (!A.parse(Args.slice(2)))
    return std::nullopt;
  std::string Problem;
  const Target *For = TargetRegistry::lookupTarget(Triple(A.Triple), Problem);
  auto Text = MemoryBuffer::getFile(A.Input, /*IsText=*/true);
  if (!For || !Text)
    return std::nullopt;
  std::error_code Failed;
  raw_fd_ostream Output(A.Output, Failed);
  bool Done = !Failed && assemble(A, *For, std::move(*Text), Output);
  Output.close();
  if (Output.has_error()) {
    Output.clear_error();
    Done = false;
  }
  return Done ? 0 : 1;
}
