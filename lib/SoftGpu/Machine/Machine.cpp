//===- Machine.cpp - emulated AMDGPU --------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns the state with the GPU's lifetime: decoded code and worker threads.
// Checks a request and passes it to Dispatcher.cpp.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/Machine.h"

#include "Dispatcher.h"
#include "FindingLog.h"
#include "GlobalWaveSync.h"
#include "ResidentGroup.h"
#include "WorkerPool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace kpack::softgpu;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

namespace {
struct FaultText {
  Fault::Kind Kind;
  bool HasAddress;
  llvm::StringLiteral Name;
};
} // namespace

static constexpr FaultText FaultTexts[] = {
    {Fault::Kind::UnknownInstruction, false, "instruction without semantics"},
    {Fault::Kind::Undecodable, false, "no instruction"},
    {Fault::Kind::MemoryAccess, true, "memory access fault"},
    {Fault::Kind::MisalignedAccess, true, "misaligned access"},
    {Fault::Kind::LdsAccess, true, "access outside of LDS"},
    {Fault::Kind::UninitialisedLds, true, "read of LDS that was not written"},
    {Fault::Kind::ScratchAccess, true, "access outside of the private segment"},
    {Fault::Kind::Trap, false, "trap"},
    {Fault::Kind::InstructionLimit, false, "instruction limit"},
    {Fault::Kind::Deadlock, false, "deadlock"},
    {Fault::Kind::BadDispatch, false, "bad dispatch"},
};
static_assert(std::size(FaultTexts) == size_t(Fault::Kind::BadDispatch) + 1);

std::string Fault::message() const {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  const FaultText &Known = *llvm::find_if(
      FaultTexts, [&](const FaultText &T) { return T.Kind == What; });
  OS << Known.Name;
  if (Known.HasAddress)
    OS << " at 0x" << llvm::utohexstr(Address, /*LowerCase=*/true);
  if (!Kernel.empty())
    OS << " in " << Kernel;
  if (Pc) {
    // Functions that a kernel calls may be before its entry.
    bool Before = int64_t(PcOffset) < 0;
    OS << (Before ? " at -0x" : " at +0x")
       << llvm::utohexstr(Before ? 0 - PcOffset : PcOffset, /*LowerCase=*/true);
    if (!Instruction.empty())
      OS << " '" << Instruction << '\'';
    OS << ", workgroup " << Workgroup[0] << ',' << Workgroup[1] << ','
       << Workgroup[2] << " wave " << Wave;
    if (Lane >= 0)
      OS << " lane " << Lane;
  }
  if (!Detail.empty())
    OS << ": " << Detail;
  return Text;
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

namespace {

/// Decoded code of both wave sizes, each created for the first kernel with it.
struct CodeCaches {
  std::mutex Lock;
  std::unique_ptr<CodeCache> BySize[2]; ///< wave32, wave64

  Expected<CodeCache *> get(const Target &Isa, bool Wave64,
                            const MemoryMap &Memory) {
    std::lock_guard<std::mutex> Guard(Lock);
    std::unique_ptr<CodeCache> &Cache = BySize[Wave64];
    if (!Cache) {
      auto Created = CodeCache::create(Isa, Wave64, Memory);
      if (!Created)
        return Created.takeError();
      Cache = std::move(*Created);
    }
    return Cache.get();
  }

  void invalidate(uint64_t Begin, uint64_t End) {
    std::lock_guard<std::mutex> Guard(Lock);
    for (std::unique_ptr<CodeCache> &Cache : BySize)
      if (Cache)
        Cache->invalidate(Begin, End);
  }
};

/// An hsa_kernel_dispatch_packet_t, in the memory map during the object's life.
class DispatchPacket {
public:
  DispatchPacket(MemoryMap &Memory, const DispatchRequest &Request)
      : Memory(Memory) {
    unsigned Dimensions = Request.GridSize[2] > 1   ? 3
                          : Request.GridSize[1] > 1 ? 2
                                                    : 1;
    Contents.Header = 2; // HSA_PACKET_TYPE_KERNEL_DISPATCH
    Contents.Setup = uint16_t(Dimensions);
    for (unsigned D = 0; D < 3; ++D) {
      Contents.WorkgroupSize[D] = Request.WorkgroupSize[D];
      Contents.GridSize[D] = Request.GridSize[D];
    }
    Contents.PrivateSegmentSize = Request.PrivateSegmentSize;
    Contents.GroupSegmentSize = Request.GroupSegmentSize;
    Contents.KernelObject = Request.KernelObject;
    Contents.KernargAddress = Request.KernargAddress;
    Memory.add({address(), address() + sizeof(Contents), /*Writable=*/false,
                "dispatch packet"});
  }
  ~DispatchPacket() { Memory.remove(address(), address() + sizeof(Contents)); }
  DispatchPacket(const DispatchPacket &) = delete;
  DispatchPacket &operator=(const DispatchPacket &) = delete;

  uint64_t address() const { return reinterpret_cast<uint64_t>(&Contents); }

private:
  /// HSA Runtime Programmer's Reference Manual 1.2, 2.8.6.
  struct alignas(64) Layout {
    uint16_t Header = 0;
    uint16_t Setup = 0;
    uint16_t WorkgroupSize[3] = {};
    uint16_t Reserved0 = 0;
    uint32_t GridSize[3] = {};
    uint32_t PrivateSegmentSize = 0;
    uint32_t GroupSegmentSize = 0;
    uint64_t KernelObject = 0;
    uint64_t KernargAddress = 0;
    uint64_t Reserved2 = 0;
    uint64_t CompletionSignal = 0;
  };
  static_assert(sizeof(Layout) == 64);

  MemoryMap &Memory;
  Layout Contents;
};

} // namespace

class Machine::Impl {
public:
  Impl(Target Isa, MemoryMap &Memory, MachineOptions Options)
      : Isa(std::move(Isa)), Memory(Memory), Options(Options),
        Caches(std::make_shared<CodeCaches>()),
        Pool(Options.Trace ? 1
             : Options.Threads
                 ? Options.Threads
                 : std::max(1u, std::thread::hardware_concurrency())) {}

  Expected<DispatchResult> run(const DispatchRequest &Request,
                               const std::string &Name);
  Error check(const DispatchRequest &Request,
              const KernelDescriptor &Kernel) const;

  const Target Isa;
  MemoryMap &Memory;
  const MachineOptions Options;
  const std::shared_ptr<CodeCaches> Caches;
  WorkerPool Pool;
  GlobalWaveSync Sync;
};

/// Refuses requests that would hang or be undefined on hardware.
Error Machine::Impl::check(const DispatchRequest &Request,
                           const KernelDescriptor &Kernel) const {
  auto Refuse = [](const Twine &Problem) {
    return llvm::createStringError(Problem);
  };
  uint64_t WorkItems = 1;
  double Workgroups = 1;
  for (unsigned D = 0; D < 3; ++D) {
    if (!Request.GridSize[D] || !Request.WorkgroupSize[D])
      return Refuse("a grid or workgroup size is 0");
    WorkItems *= Request.WorkgroupSize[D];
    uint64_t Groups =
        (uint64_t(Request.GridSize[D]) + Request.WorkgroupSize[D] - 1) /
        Request.WorkgroupSize[D];
    Workgroups *= double(Groups);
    if (D > 0 && Isa.hasArchitectedWorkgroupIds() && Groups > 65536)
      return Refuse("more than 65536 workgroups in y or z, which " +
                    Isa.Processor + " has 16 bits for");
  }
  if (WorkItems > 1024)
    return Refuse(Twine(WorkItems) +
                  " work-items in a workgroup; 1024 at most");
  if (Workgroups > 0x1p62)
    return Refuse("the grid has too many workgroups");
  if (Request.GroupSegmentSize > Isa.ldsBytes())
    return Refuse(Twine(Request.GroupSegmentSize) + " bytes of LDS; " +
                  Isa.Processor + " has " + Twine(Isa.ldsBytes()));
  if (Request.GroupSegmentSize < Kernel.GroupSegmentSize)
    return Refuse(Twine(Request.GroupSegmentSize) +
                  " bytes of LDS; the kernel has " +
                  Twine(Kernel.GroupSegmentSize) + " of its own");
  // The hardware's scratch size register allows 8 MiB per wave.
  if (uint64_t(Request.PrivateSegmentSize) * Kernel.Lanes > 8u << 20)
    return Refuse(Twine(Request.PrivateSegmentSize) +
                  " bytes of private memory a work-item; " +
                  Twine((8u << 20) / Kernel.Lanes) + " at most");
  // A size below the descriptor's is no error: if the compiler does not know
  // the stack's depth, that size is a guess, and HIP 5.7 gives 16 KiB instead.
  // An access past the end of the given size is a fault.
  if (Kernel.PreloadLength) {
    uint64_t Bytes = 4 * (Kernel.PreloadOffset + Kernel.PreloadLength);
    auto Range = Memory.find(Request.KernargAddress);
    if (!Range || !Range->contains(Request.KernargAddress, Bytes))
      return Refuse("the kernel arguments are not device memory: " +
                    Memory.describe(Request.KernargAddress));
  }
  return Error::success();
}

Expected<DispatchResult> Machine::Impl::run(const DispatchRequest &Request,
                                            const std::string &Name) {
  auto Kernel = KernelDescriptor::read(Memory, Isa, Request.KernelObject);
  if (!Kernel)
    return Kernel.takeError();
  if (Error E = check(Request, *Kernel))
    return E;
  auto Code = Caches->get(Isa, Kernel->Lanes == 64, Memory);
  if (!Code)
    return Code.takeError();
  uint64_t PacketAddress = Request.PacketAddress;
  std::optional<DispatchPacket> Packet;
  if (!PacketAddress && Kernel->DispatchPointer)
    PacketAddress = Packet.emplace(Memory, Request).address();

  Dispatch Launch;
  Launch.Isa = &Isa;
  Launch.Memory = &Memory;
  Launch.Options = &Options;
  Launch.Request = &Request;
  Launch.Sync = &Sync;
  Launch.EntryAddress = Kernel->Entry;
  Launch.KernelName = Name;
  FindingLog Findings;
  if (Options.AllowOutOfBounds)
    Launch.Findings = &Findings;
  Dispatcher D(Launch, *Kernel, **Code, PacketAddress);
  Pool.run([&] { D.work(); }, D.workgroups());
  DispatchResult Result = D.result();
  Result.Findings = Findings.take();
  return Result;
}

Machine::Machine(std::unique_ptr<Impl> I) : I(std::move(I)) {}
Machine::~Machine() = default;

Expected<std::unique_ptr<Machine>> Machine::create(StringRef Processor,
                                                   MemoryMap &Memory,
                                                   MachineOptions Options) {
  Expected<Target> Isa = Target::get(Processor);
  if (!Isa)
    return Isa.takeError();
  return std::unique_ptr<Machine>(
      new Machine(std::make_unique<Impl>(std::move(*Isa), Memory, Options)));
}

DispatchResult Machine::dispatch(const DispatchRequest &Request) {
  std::string Name =
      Request.KernelName.empty()
          ? "kernel object 0x" + llvm::utohexstr(Request.KernelObject, true)
          : Request.KernelName;
  Expected<DispatchResult> Result = I->run(Request, Name);
  if (Result)
    return std::move(*Result);
  DispatchResult Bad;
  Bad.Failure.emplace();
  Bad.Failure->What = Fault::Kind::BadDispatch;
  Bad.Failure->Kernel = std::move(Name);
  Bad.Failure->Detail = llvm::toString(Result.takeError());
  return Bad;
}

void Machine::invalidateCode(uint64_t Begin, uint64_t End) {
  I->Caches->invalidate(Begin, End);
}

std::function<void(uint64_t, uint64_t)> Machine::codeInvalidator() const {
  return [Weak = std::weak_ptr<CodeCaches>(I->Caches)](uint64_t Begin,
                                                       uint64_t End) {
    if (std::shared_ptr<CodeCaches> Caches = Weak.lock())
      Caches->invalidate(Begin, End);
  };
}

StringRef Machine::processor() const { return I->Isa.Processor; }
