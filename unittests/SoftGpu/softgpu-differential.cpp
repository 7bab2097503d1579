//===- softgpu-differential.cpp - test tool: SIMD variants compared -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softgpu-differential [--gpu=<processor>]... [--wave64] [--instructions=<n>]
//                      [--seed=<n>]
//
// Executes streams of random vector and memory instructions by each variant of
// the lane loops (Opcodes.h), and by a reference that is compiled here: every
// operand the general way, every lane's access by itself, no vectoriser.
// Registers, memory, mode and faults must be the same bits after every stream;
// else the first instruction that differs is printed, and the status is 1.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/Opcodes.h"
#include "SoftGpu/Machine/Wave.h"

#include "SoftGpu/Isa/Decoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>
#include <random>

using namespace llvm;
using namespace kpack::softgpu;

static cl::list<std::string> Gpus("gpu", cl::desc("processors"));
static cl::opt<bool> Wave64("wave64", cl::desc("where there is a choice"));
static cl::opt<uint64_t> Count("instructions", cl::init(100000),
                               cl::desc("executed by each variant"));
static cl::opt<uint64_t> Seed("seed", cl::init(1));

namespace {

constexpr unsigned StreamLength = 64;
/// Vector registers that instructions name, and that get new numbers.
constexpr unsigned UsedRegisters = 24, FilledRegisters = 64;
constexpr uint32_t MemoryBytes = 1 << 15, LdsBytes = 1 << 13,
                   PrivateLaneBytes = 256;

using Random = std::mt19937_64;

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

template <LaneVariant (*Lanes)()> const OpcodeInfo *findIn(StringRef Mnemonic) {
  static const StringMap<const OpcodeInfo *> &ByName = *[] {
    auto *Result = new StringMap<const OpcodeInfo *>;
    for (ArrayRef<OpcodeInfo> Table : opcodeTables(Lanes()))
      for (const OpcodeInfo &Info : Table)
        for (StringRef Name : split(Info.Mnemonics, ' '))
          Result->try_emplace(Name, &Info);
    return Result;
  }();
  return ByName.lookup(Mnemonic);
}

struct Variant {
  const char *Name;
  Semantics Known;
};

template <LaneVariant (*Lanes)()> Variant makeVariant() {
  LaneVariant V = Lanes();
  return {V.Name, {findIn<Lanes>, V.ExecuteDual, V.ExecuteDualInOrder}};
}

/// The reference is the first; of the others those that this processor runs.
std::vector<Variant> variants() {
  std::vector<Variant> All = {
      makeVariant<reference::laneVariant>(),
      makeVariant<kpack::softgpu::generic::laneVariant>(),
      makeVariant<avx2::laneVariant>(), makeVariant<avx512::laneVariant>()};
  All.resize(1 + laneVariants().size());
  return All;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

bool isOfMemory(const Instruction &I) {
  return !StringRef(I.Mnemonic).starts_with("v_");
}

/// One instruction, by each variant.
struct Tested {
  std::vector<std::unique_ptr<Instruction>> By;
  const Instruction &first() const { return *By.front(); }
};

/// Registers that are few, so that results are used, and offsets that lie in
/// the memory that there is.
void confine(Instruction &I) {
  for (Operand &O : I.Operands) {
    if (O.What != Operand::Kind::Vgpr)
      continue;
    unsigned Base = O.Index >= FirstAccVgpr ? FirstAccVgpr : 0;
    O.Index = uint16_t(Base + (O.Index - Base) % UsedRegisters);
  }
  I.Offset &= 0x1f;
  I.Offset0 &= 3;
  I.Offset1 &= 3;
  if (I.Dual)
    confine(*I.Dual);
}

bool isOfLanes(StringRef Mnemonic) {
  for (StringRef Prefix : {"v_", "ds_", "global_", "flat_", "scratch_"})
    if (Mnemonic.starts_with(Prefix))
      return true;
  return false;
}

/// Words whose encoding, the highest six bits, is one of memory (DS, FLAT, and
/// what gfx12 has instead), or VOP3 or VOP3P of some target, or has bit 31
/// clear: VOP1, VOP2, VOPC.
void randomBytes(Random &R, bool OfMemory, std::array<uint8_t, 16> &Bytes) {
  for (unsigned N = 0; N < Bytes.size(); N += 8) {
    uint64_t Word = R();
    std::memcpy(Bytes.data() + N, &Word, 8);
  }
  constexpr uint8_t Memory[] = {0x36, 0x37, 0x3b};
  constexpr uint8_t Vop3[] = {0x32, 0x33, 0x34, 0x35};
  uint64_t Which = R();
  uint8_t Encoding = OfMemory    ? Memory[Which % 3]
                     : Which & 1 ? Vop3[Which / 2 % 4]
                                 : uint8_t(Which / 2 % 32);
  Bytes[3] = uint8_t(Encoding << 2 | (Bytes[3] & 3));
}

Error makeInstructions(const kpack::softgpu::Target &Isa, bool Is64,
                       ArrayRef<Variant> Variants, size_t Wanted, Random &R,
                       std::vector<Tested> &Result) {
  std::vector<std::unique_ptr<Decoder>> Decoders;
  for (const Variant &V : Variants) {
    auto D = Decoder::create(Isa, Is64, V.Known);
    if (!D)
      return D.takeError();
    Decoders.push_back(std::move(*D));
  }
  std::array<uint8_t, 16> Bytes;
  StringMap<size_t> Found;
  // Few of one kind, for common ones would crowd out the others.
  size_t Most = std::max<size_t>(4, Wanted / 500);
  for (size_t Try = 0; Result.size() < Wanted && Try < 500 * Wanted; ++Try) {
    bool OfMemory = Result.size() % 4 == 0;
    randomBytes(R, OfMemory, Bytes);
    Tested T;
    for (std::unique_ptr<Decoder> &D : Decoders) {
      auto I = D->decode(Bytes, 0x1000);
      if (!I) {
        consumeError(I.takeError());
        break;
      }
      if (!isOfLanes((*I)->Mnemonic) || isOfMemory(**I) != OfMemory ||
          Found[(*I)->Mnemonic] == Most)
        break;
      confine(**I);
      T.By.push_back(std::move(*I));
    }
    if (T.By.size() < Decoders.size())
      continue;
    ++Found[T.first().Mnemonic];
    Result.push_back(std::move(T));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// All that an instruction can change. Memory has one place, for addresses are
/// numbers in registers: what a run leaves there is copied from and to.
struct State {
  std::vector<Lanes32> Vectors{VectorRegisterCount};
  std::vector<uint8_t> Private = std::vector<uint8_t>(64 * PrivateLaneBytes);
  std::vector<uint8_t> Lds = std::vector<uint8_t>(LdsBytes);
  std::vector<uint8_t> Memory = std::vector<uint8_t>(MemoryBytes);
  Wave W;
  std::vector<std::string> Faults; ///< those of the stream's instructions
};

class Runner {
public:
  Runner(const kpack::softgpu::Target &Isa, unsigned Lanes)
      : Isa(Isa), Lanes(Lanes) {
    uint64_t Begin = base();
    // Two ranges, so that the one that was hit last changes, and nothing
    // between them.
    Map.add({Begin, Begin + MemoryBytes / 2, true, "first half"});
    Map.add(
        {Begin + MemoryBytes / 2 + 64, Begin + MemoryBytes, true, "second"});
    Launch.Isa = &this->Isa;
    Launch.Memory = &Map;
    Launch.Options = &Options;
    Launch.Request = &Request;
    Group.Launch = &Launch;
  }

  void fill(State &S, Random &R);
  /// Executes the stream of \p From; the result is in \p To.
  void run(const State &From, State &To, ArrayRef<const Tested *> Stream,
           unsigned Which, uint64_t StreamSeed);

private:
  uint64_t base() const { return reinterpret_cast<uint64_t>(Memory.data()); }
  void prepare(Wave &W, const Instruction &I, Random R);
  void prepareAddresses(Wave &W, const Operand &O, Random &R, uint64_t Base,
                        uint32_t Bytes);
  static uint32_t number(Random &R, unsigned Style);

  const kpack::softgpu::Target &Isa;
  unsigned Lanes;
  std::vector<uint8_t> Memory = std::vector<uint8_t>(MemoryBytes);
  MemoryMap Map;
  MachineOptions Options;
  DispatchRequest Request;
  Dispatch Launch;
  Workgroup Group;
};

/// Numbers that are special to some format, or of any kind.
uint32_t Runner::number(Random &R, unsigned Style) {
  static constexpr uint32_t Corners[] = {
      0,          1,          0x80000000, 0x7fffffff, 0xffffffff, 0x3f800000,
      0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00800000,
      0x007fffff, 0x80000001, 0x7ff00000, 0x7ff80000, 0xfff00000, 0x3ff00000,
      0x00100000, 0x000fffff, 0x7fefffff, 0x3c003c00, 0x7c00fc00, 0x7e007d01,
      0x04000001, 0x4b000000, 0x4f000000, 0xcf000000, 0x00010000, 0x40000000};
  uint64_t Bits = R();
  switch (Style) {
  case 0:
    return Corners[Bits % std::size(Corners)];
  case 1:
    return uint32_t(Bits & 0xff);
  case 2: // f32 and high words of f64 near 1
    return uint32_t(0x3f000000 + (Bits & 0x80ffffff));
  case 3: // f16 near 1
    return uint32_t(0x38003800 + (Bits & 0x87ff87ff));
  default:
    return uint32_t(Bits);
  }
}

/// New numbers in the registers that instructions name, a new mode and mask.
void Runner::fill(State &S, Random &R) {
  for (unsigned First : {0u, FirstAccVgpr})
    for (unsigned N = 0; N < FilledRegisters; ++N) {
      unsigned Style = R() % 6;
      for (uint32_t &V : S.Vectors[First + N].V)
        V = number(R, Style);
    }
  S.W = Wave();
  for (uint32_t &V : S.W.Scalars)
    V = number(R, R() % 6);
  S.W.Lanes = Lanes;
  S.W.Mode = FloatMode();
  if (R() % 2) {
    S.W.Mode.Round32 = R() & 3;
    S.W.Mode.Round1664 = R() & 3;
    S.W.Mode.Denorm32 = R() & 3;
    S.W.Mode.Denorm1664 = R() & 3;
    S.W.Mode.Dx10Clamp = R() & 1;
    S.W.Mode.Ieee = R() & 1;
  }
  if (Isa.isGfx9() && R() % 16 == 0)
    S.W.GprIndexMode = R() & 15;
  Options.CheckAlignment = R() % 8 == 0;
  for (std::vector<uint8_t> *Bytes : {&S.Private, &S.Lds, &S.Memory})
    for (unsigned N = 0; N < 64; ++N)
      (*Bytes)[R() % Bytes->size()] = uint8_t(R());
}

/// Addresses of neighbours, of neighbours in any order or of anything, in
/// bounds but for one at the end or in the middle. Lanes that are not active
/// must not be looked at.
void Runner::prepareAddresses(Wave &W, const Operand &O, Random &R,
                              uint64_t Base, uint32_t Bytes) {
  unsigned Style = R() % 4;
  uint32_t Stride = std::min(1u << R() % 5, Bytes / 256);
  uint32_t First = R() % (Bytes / 2);
  if (R() % 4)
    First &= ~15u;
  unsigned AtEnd = R() % 8 == 0 ? R() % 64 : 64;
  for (unsigned Lane = 0; Lane < 64; ++Lane) {
    uint32_t Offset = First + Lane * Stride;
    if (Style == 1)
      Offset = First + (R() % 64) * Stride;
    else if (Style == 2)
      Offset = R() % (Bytes / 2) & ~7u;
    if (Lane == AtEnd)
      Offset = (R() & 1 ? Bytes : Bytes / 2) - R() % 24;
    if (!(W.exec() >> Lane & 1) && R() % 8 == 0)
      Offset = uint32_t(R());
    uint64_t Address = Base + Offset;
    W.Vectors[O.Index].V[Lane] = uint32_t(Address);
    if (O.Dwords == 2)
      W.Vectors[O.Index + 1].V[Lane] = uint32_t(Address >> 32);
  }
}

/// Before each instruction: another mask, and for memory other addresses. By
/// numbers that depend on the place in the stream only.
void Runner::prepare(Wave &W, const Instruction &I, Random R) {
  uint64_t Masks[] = {W.allLanes(), W.allLanes(), R(), R() & R() & R(),
                      ~uint64_t(0) << R() % 64};
  if (R() % 4 == 0 || W.exec() == 0)
    W.setExec(Masks[R() % std::size(Masks)] & W.allLanes());
  W.Scalars[M0] &= 0x1f;
  StringRef Name = I.Mnemonic;
  if (Name.starts_with("v_"))
    return;
  bool Loads = Name.contains("load") || Name.contains("read");
  for (unsigned N = 0; N < I.OperandCount; ++N) {
    const Operand &O = I.Operands[N];
    if (O.What == Operand::Kind::Sgpr) {
      // The last operand: a base, or an offset into the private segment.
      if (Name.starts_with("scratch_"))
        W.Scalars[O.Index] = R() % 64 & ~3u;
      else if (O.Index + 1 < ScalarRegisterCount)
        W.setScalar64(O.Index, base());
    }
  }
  // The vector address: first in stores, second in what has a result.
  bool Returns = Loads || (I.has(ModReturn) && !Name.starts_with("ds_")) ||
                 Name.contains("rtn") || Name.contains("permute") ||
                 Name.contains("swizzle");
  unsigned N = Returns && I.OperandCount > 1 ? 1 : 0;
  const Operand &O = I.Operands[N];
  if (O.What != Operand::Kind::Vgpr)
    return;
  if (Name.starts_with("ds_"))
    return prepareAddresses(W, O, R, 0, LdsBytes);
  if (Name.starts_with("scratch_"))
    return prepareAddresses(W, O, R, 0, PrivateLaneBytes);
  if (O.Dwords == 1)
    return prepareAddresses(W, O, R, 0, MemoryBytes);
  unsigned Where = Name.starts_with("flat_") ? R() % 4 : 0;
  if (Where == 1)
    return prepareAddresses(W, O, R, SharedAperture, LdsBytes);
  if (Where == 2)
    return prepareAddresses(W, O, R, PrivateAperture, PrivateLaneBytes);
  prepareAddresses(W, O, R, base(), MemoryBytes);
}

void Runner::run(const State &From, State &To, ArrayRef<const Tested *> Stream,
                 unsigned Which, uint64_t StreamSeed) {
  To.Vectors = From.Vectors;
  To.Private = From.Private;
  To.W = From.W;
  To.Faults.clear();
  Wave &W = To.W;
  W.Group = &Group;
  W.Isa = &Isa;
  W.Vectors = To.Vectors.data();
  W.Private = To.Private.data();
  W.PrivateBytes = PrivateLaneBytes;
  W.setExec(W.allLanes());
  Memory = From.Memory; // the same size: it stays where it is
  Group.Lds = From.Lds;
  for (size_t N = 0; N < Stream.size(); ++N) {
    const Instruction &I = *Stream[N]->By[Which];
    prepare(W, I, Random(StreamSeed * StreamLength + N));
    I.Execute(W, I);
    if (!W.Failure)
      continue;
    To.Faults.push_back(W.Failure->message());
    W.Failure.reset();
    W.Status = Wave::State::Running;
  }
  To.Memory = Memory;
  To.Lds = Group.Lds;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

std::string firstDifference(const State &A, const State &B) {
  std::string Text;
  raw_string_ostream Out(Text);
  for (unsigned N = 0; N < VectorRegisterCount; ++N)
    for (unsigned L = 0; L < 64; ++L)
      if (A.Vectors[N].V[L] != B.Vectors[N].V[L]) {
        Out << 'v' << N << " lane " << L << ": "
            << format_hex(A.Vectors[N].V[L], 10) << ", "
            << format_hex(B.Vectors[N].V[L], 10);
        return Text;
      }
  for (unsigned N = 0; N < ScalarRegisterCount; ++N)
    if (A.W.Scalars[N] != B.W.Scalars[N]) {
      Out << "scalar " << N << ": " << format_hex(A.W.Scalars[N], 10) << ", "
          << format_hex(B.W.Scalars[N], 10);
      return Text;
    }
  if (A.Faults != B.Faults)
    return "faults: " + join(A.Faults, ", ") + "; " + join(B.Faults, ", ");
  if (A.Memory != B.Memory || A.Lds != B.Lds || A.Private != B.Private)
    return "memory";
  if (A.W.Status != B.W.Status || A.W.Scc != B.W.Scc)
    return "status";
  return "";
}

/// The first instruction of the stream after which \p Which differs.
void report(Runner &Gpu, const State &From, ArrayRef<const Tested *> Stream,
            const Variant &V, unsigned Which, uint64_t StreamSeed) {
  State A, B;
  for (size_t Length = 1; Length <= Stream.size(); ++Length) {
    Gpu.run(From, A, Stream.take_front(Length), 0, StreamSeed);
    Gpu.run(From, B, Stream.take_front(Length), Which, StreamSeed);
    std::string Difference = firstDifference(A, B);
    if (Difference.empty())
      continue;
    outs() << V.Name << " differs, stream " << StreamSeed << ", instruction "
           << Length << ": " << Stream[Length - 1]->first().Text << ": "
           << Difference << '\n';
    for (const Operand &O : Stream[Length - 1]->first().Operands)
      if (O.What == Operand::Kind::Vgpr)
        outs() << "  v" << O.Index << " of " << O.Dwords << '\n';
    return;
  }
}

/// True: all variants agree.
bool compare(StringRef Processor) {
  auto Isa = kpack::softgpu::Target::get(Processor);
  if (!Isa) {
    errs() << "softgpu-differential: error: " << toString(Isa.takeError())
           << '\n';
    return false;
  }
  bool Is64 = Isa->isGfx9() || Wave64;
  std::vector<Variant> Variants = variants();
  Random R(Seed);
  std::vector<Tested> Instructions;
  size_t Different = std::clamp<uint64_t>(Count / 100, 2000, 20000);
  if (Error E =
          makeInstructions(*Isa, Is64, Variants, Different, R, Instructions)) {
    errs() << "softgpu-differential: error: " << toString(std::move(E)) << '\n';
    return false;
  }
  auto OfMemory = count_if(
      Instructions, [](const Tested &T) { return isOfMemory(T.first()); });
  Runner Gpu(*Isa, Is64 ? 64 : 32);
  State Begin, Want, Got;
  uint64_t Streams = (Count + StreamLength - 1) / StreamLength, Faults = 0;
  for (uint64_t N = 0; N < Streams; ++N) {
    Gpu.fill(Begin, R);
    std::vector<const Tested *> Stream;
    while (Stream.size() < StreamLength)
      Stream.push_back(&Instructions[R() % Instructions.size()]);
    Gpu.run(Begin, Want, Stream, 0, N);
    Faults += Want.Faults.size();
    for (unsigned Which = 1; Which < Variants.size(); ++Which) {
      Gpu.run(Begin, Got, Stream, Which, N);
      if (firstDifference(Want, Got).empty())
        continue;
      report(Gpu, Begin, Stream, Variants[Which], Which, N);
      return false;
    }
    std::swap(Begin, Want);
  }
  outs() << Processor << (Is64 ? " wave64: " : " wave32: ")
         << Streams * StreamLength << " instructions, " << Instructions.size()
         << " different (" << OfMemory << " of memory), " << Faults
         << " faults:";
  for (const Variant &V : ArrayRef(Variants).drop_front())
    outs() << ' ' << V.Name;
  outs() << " as the reference\n";
  outs().flush();
  return true;
}

} // namespace

int main(int Argc, char **Argv) {
  cl::ParseCommandLineOptions(Argc, Argv);
  std::vector<std::string> All(Gpus.begin(), Gpus.end());
  if (All.empty())
    All = {"gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"};
  bool Agree = true;
  for (const std::string &Processor : All)
    Agree &= compare(Processor);
  return Agree ? 0 : 1;
}
