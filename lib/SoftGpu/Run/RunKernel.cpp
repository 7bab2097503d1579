//===- RunKernel.cpp - softgpu-run: a kernel on an emulated GPU -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a command line into one CodeObject::launch() (lib/SoftGpu). The code
// object is a file or an entry of a kpack archive. KernelArguments.cpp makes
// buffers.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Run/RunKernel.h"
#include "Archive/LimitedRead.h"

#include "KernelArguments.h"
#include "Variables.h"

#include "SoftGpu/Machine/CodeObjects/CodeObject.h"
#include "Support/Printable.h"
#include "ToolSupport/Commands.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Glob.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"

#include <chrono>

using namespace kpack;
using namespace kpack::softgpu;
using namespace llvm;
using namespace llvm::opt;

namespace {
#define KPACK_OPTION_TABLE "SoftGpuRunOptions.inc"
#include "ToolSupport/OptionTable.inc"
} // namespace

/// Parses "4,2" as {4, 2, 1}.
static Expected<std::array<uint32_t, 3>> parseSize(StringRef Option,
                                                   StringRef Text) {
  std::array<uint32_t, 3> Size = {1, 1, 1};
  SmallVector<StringRef, 3> Parts;
  if (!Text.empty())
    Text.split(Parts, ',');
  bool Good = Parts.size() <= 3;
  for (size_t I = 0; Good && I < Parts.size(); ++I)
    Good = !Parts[I].getAsInteger(10, Size[I]) && Size[I] > 0;
  if (!Good)
    return objectError((Option + Text).str(),
                       "one to three numbers above 0 expected");
  return Size;
}

static Error parseNumber(const InputArgList &Args, OptSpecifier Id,
                         uint64_t Most, uint64_t &Out) {
  const Arg *A = Args.getLastArg(Id);
  if (A && (StringRef(A->getValue()).getAsInteger(0, Out) || Out > Most))
    return objectError(A->getAsString(Args),
                       "a number from 0 to " + Twine(Most) + " expected");
  return Error::success();
}

/// Reads the one entry of an archive that --arch and --binary select.
static Expected<std::vector<uint8_t>> readEntry(const InputArgList &Args,
                                                StringRef Path) {
  auto Archive = ArchiveReader::open(Path.str());
  if (!Archive)
    return toError(Archive.status());
  GlobList Arches, Binaries;
  if (Error E = GlobList::createFromLists(
                    "--arch=", Args.getAllArgValues(OPT_arch_EQ), "target ids")
                    .moveInto(Arches))
    return E;
  if (Error E =
          GlobList::create("--binary=", Args.getAllArgValues(OPT_binary_EQ))
              .moveInto(Binaries))
    return E;
  std::vector<const ArchiveEntry *> Found;
  for (const ArchiveEntry &Entry : (*Archive)->entries())
    if (Arches.matches(Entry.Arch) && Binaries.matches(Entry.Binary))
      Found.push_back(&Entry);
  if (Found.size() != 1)
    return objectError(Path,
                       Twine(Found.size()) +
                           " code objects match; choose one with --arch= and "
                           "--binary= ('kpack list' names them)");
  Result<kpack::Buffer> Bytes = readLimited(**Archive, *Found.front());
  if (!Bytes)
    return toError(Bytes.status());
  return std::vector<uint8_t>(Bytes->bytes().begin(), Bytes->bytes().end());
}

static Expected<std::vector<uint8_t>> readCode(const InputArgList &Args,
                                               StringRef Path) {
  auto File = readInput(Path);
  if (!File)
    return File.takeError();
  StringRef Bytes = (*File)->getBuffer();
  if (Bytes.starts_with("KPAK"))
    return readEntry(Args, Path);
  return std::vector<uint8_t>(Bytes.begin(), Bytes.end());
}

static void printStats(raw_ostream &OS, const DispatchResult &R,
                       double Seconds) {
  OS << R.Instructions << " wave-instructions, " << R.Waves << " waves, "
     << format("%.3f s, %.1f M wave-instructions/s\n", Seconds,
               Seconds > 0 ? double(R.Instructions) / Seconds / 1e6 : 0.0);
}

static void printFindings(raw_ostream &OS, StringRef Path,
                          ArrayRef<Finding> Findings) {
  for (const Finding &F : Findings)
    OS << "softgpu-run: warning: " << printable(Path) << ": "
       << printable(F.First.message())
       << "; accesses of this instruction outside: " << F.Count << '\n';
}

static Expected<MachineOptions> machineOptions(const InputArgList &Args) {
  MachineOptions Options;
  uint64_t Threads = 0;
  if (Error E = parseNumber(Args, OPT_threads_EQ, 1024, Threads))
    return E;
  if (Error E =
          parseNumber(Args, OPT_limit_EQ, UINT64_MAX, Options.InstructionLimit))
    return E;
  Options.Threads = unsigned(Threads);
  Options.Trace = Args.hasArg(OPT_trace);
  if (const Arg *A = Args.getLastArg(OPT_out_of_bounds_EQ)) {
    StringRef Policy = A->getValue();
    if (Policy != "fail" && Policy != "hardware")
      return objectError(A->getAsString(Args), "fail or hardware expected");
    Options.AllowOutOfBounds = Policy == "hardware";
  }
  Options.CheckUninitialisedLds = Args.hasArg(OPT_check_lds);
  Options.CheckAlignment = Args.hasArg(OPT_check_alignment);
  return Options;
}

/// Loads, launches, writes the outputs.
static Error run(const InputArgList &Args, StringRef Path, StringRef Name,
                 raw_ostream &Err) {
  auto Grid = parseSize("--grid=", Args.getLastArgValue(OPT_grid_EQ));
  if (!Grid)
    return Grid.takeError();
  auto Block = parseSize("--block=", Args.getLastArgValue(OPT_block_EQ));
  if (!Block)
    return Block.takeError();
  uint64_t Lds = 0;
  if (Error E = parseNumber(Args, OPT_lds_EQ, UINT32_MAX, Lds))
    return E;
  auto Options = machineOptions(Args);
  if (!Options)
    return Options.takeError();
  auto Code = readCode(Args, Path);
  if (!Code)
    return Code.takeError();

  MemoryMap Memory;
  auto Object = CodeObject::load(*Code, Memory);
  if (!Object)
    return objectError(Path, Object.takeError());
  StringRef Processor =
      Args.getLastArgValue(OPT_gpu_EQ, (*Object)->processor());
  auto Gpu = Machine::create(Processor, Memory, *Options);
  if (!Gpu)
    return Gpu.takeError();
  Arguments Values(Memory);
  for (const std::string &Text : Args.getAllArgValues(OPT_arg_EQ))
    if (Error E = Values.add(Text))
      return E;

  for (const std::string &Text : Args.getAllArgValues(OPT_set_EQ))
    if (Error E = setVariable(**Object, Text))
      return E;
  for (const std::string &Text : Args.getAllArgValues(OPT_get_EQ))
    if (Error E = checkVariable(**Object, "--get=", Text))
      return E;

  auto Begin = std::chrono::steady_clock::now();
  auto Result = (*Object)->launch(**Gpu, Name, *Grid, *Block, uint32_t(Lds),
                                  Values.values());
  std::chrono::duration<double> Time = std::chrono::steady_clock::now() - Begin;
  if (!Result)
    return objectError(Path, Result.takeError());
  if (Args.hasArg(OPT_stats))
    printStats(Err, *Result, Time.count());
  printFindings(Err, Path, Result->Findings);
  if (Result->Failure)
    return objectError(Path, Result->Failure->message());
  for (const std::string &Text : Args.getAllArgValues(OPT_get_EQ))
    if (Error E = getVariable(**Object, Text))
      return E;
  return Values.writeOutputs();
}

static void run(Invocation &I) {
  std::vector<std::string> Inputs = I.operands();
  if (I.Args.hasArg(OPT_version))
    I.S.out() << "softgpu-run " KPACK_VERSION " (LLVM " LLVM_VERSION_STRING
                 ")\n";
  else if (Inputs.size() != 2)
    I.S.error("command line: a file and a kernel's name expected; " +
              I.Options.seeHelp());
  else
    I.S.error(run(I.Args, Inputs[0], Inputs[1], I.S.err()));
}

static constexpr Command Program = {
    {.Name = "softgpu-run",
     .Operands = "<file> <kernel>",
     .Overview = "run one kernel of a code object or a kpack archive on an "
                 "emulated AMD GPU",
     .Examples =
         "  $ softgpu-run vadd.co vadd --grid=4 --block=256 --arg=in:a.bin \\\n"
         "      --arg=in:b.bin --arg=out:c.bin:4096 --arg=u32:1024\n"
         "  $ softgpu-run app.kpack k --arch=gfx1100 --arg=f32:1.5 --stats\n"
         "\nARGUMENTS, in the kernel's order:\n"
         "  u8: u16: u32: u64: i8: ... f16: f32: f64:<number>\n"
         "                        a number\n"
         "  value:<file>          the bytes of the file: a struct by value\n"
         "  in:<file>             pointer to a buffer with the file's bytes\n"
         "  zero:<bytes>          pointer to a buffer of zeros\n"
         "  out:<file>:<bytes>    the same, written to the file afterwards\n"
         "  inout:<file>:<file>   read before, written to the second "
         "afterwards\n"
         "\nEXIT STATUS: 0, or 1 when anything was wrong\n",
     .Messages = Session::Lines::Several,
     .Options = KpackOptTable::get},
    run};

int softgpu::runKernelMain(ArrayRef<const char *> Args, raw_ostream &Out,
                           raw_ostream &Err) {
  return runCommand(Program, Args, Out, Err);
}
