//===- AcceptFaults.cpp - acceptance: changed kernels give wrong results --===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One place of the kernels' sources is changed as somebody may get it wrong: an
// operator, a number, a dimension, a barrier. What does not compile any more is
// no fault, and neither is what leaves each GPU's code as it was and the CPU's
// results right, or what is listed with a reason in FaultsWithoutEffect.def.
// The others must show in results, on the CPU or on an emulated GPU, in one of
// some cases that reach all of the sources. A survivor is printed with its
// line: either cases are missing, or it belongs into that list.
//
//===----------------------------------------------------------------------===//
#include "Accept.h"
#include "DeviceRun.h"

#include "ConvBuilder/Emit.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <algorithm>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

struct Swap {
  std::string_view From, To;
};

constexpr Swap Swaps[] = {{" + ", " - "},
                          {" - ", " + "},
                          {" * ", " + "},
                          {" / ", " * "},
                          {" % ", " / "},
                          {" < ", " <= "},
                          {" >= ", " > "},
                          {" && ", " || "},
                          {" == ", " != "},
                          {"Stride[", "Dilation["},
                          {"Dilation[", "Stride["},
                          {"Image[", "Result["},
                          {"Filter[", "Image["},
                          {"LeftOuter", "LeftInner"},
                          {"RightChannel", "RightInner"},
                          {"tile_m", "tile_n"},
                          {"tile_n", "tile_m"},
                          {"barrier();", ";"},
                          {"Left", "Right"},
                          {"Row", "Column"}};

/// Files that say how a convolution goes; the others are arithmetic, which has
/// tests of its own.
constexpr std::string_view Files[] = {"view.h",
                                      "shares.h",
                                      "forward.h",
                                      "backward_data.h",
                                      "backward_weight.h",
                                      "direct.h",
                                      "igemm.h",
                                      "load.h",
                                      "tile.h",
                                      "thread_tile.h",
                                      "matrix_tile.h",
                                      "instr.h",
                                      "split.h",
                                      "stream.h",
                                      "unsigned.h"};

struct Fault {
  size_t File = 0; ///< of the headers
  size_t At = 0;
  Swap Change;
};

/// Where code begins: behind the comment at the head and the includes.
size_t getCode(std::string_view Text) {
  size_t Position = Text.find("namespace kpack");
  return Position == Text.npos ? 0 : Position;
}

std::vector<Fault> getFaults(const KernelSource &Source) {
  std::vector<Fault> All;
  for (size_t I = 0; I < Source.Headers.size(); ++I) {
    const auto &[Name, Text] = Source.Headers[I];
    if (std::none_of(
            std::begin(Files), std::end(Files), [&](std::string_view File) {
              return std::string_view(Name).ends_with("/" + std::string(File));
            }))
      continue;
    for (const Swap &Each : Swaps)
      for (size_t Position = getCode(Text);
           (Position = Text.find(Each.From, Position)) != Text.npos;
           Position += Each.From.size()) {
        size_t Line = Text.rfind('\n', Position) + 1;
        std::string_view Start =
            std::string_view(Text).substr(Line, Position - Line);
        // Not of comments and not of what the preprocessor reads.
        if (Start.find("//") == Start.npos && !Start.starts_with("#"))
          All.push_back({I, Position, Each});
      }
  }
  return All;
}

/// A change that is none to who runs the kernel: slower code, a tile more whose
/// elements are all outside.
struct Harmless {
  std::string_view File, Line, From, To, Why;
};

constexpr Harmless HarmlessFaults[] = {
#define KPACK_CONV_HARMLESS(FILE, LINE, FROM, TO, WHY)                         \
  {FILE, LINE, FROM, TO, WHY},
#include "FaultsWithoutEffect.def"
};

/// The line at \p Position without the spaces before it.
std::string_view findCodeLine(std::string_view Text, size_t Position) {
  size_t Start = Text.find_first_not_of(' ', Text.rfind('\n', Position) + 1);
  return Text.substr(Start, Text.find('\n', Position) - Start);
}

bool isIt(const KernelSource &Whole, const Fault &The, const Harmless &Each) {
  const auto &[Name, Text] = Whole.Headers[The.File];
  return std::string_view(Name).ends_with(Each.File) &&
         findCodeLine(Text, The.At) == Each.Line &&
         The.Change.From == Each.From && The.Change.To == Each.To;
}

bool isHarmless(const KernelSource &Whole, const Fault &The) {
  return std::any_of(
      std::begin(HarmlessFaults), std::end(HarmlessFaults),
      [&](const Harmless &Each) { return isIt(Whole, The, Each); });
}

std::string getLine(const std::string &Text, size_t Position) {
  size_t Start = Text.rfind('\n', Position) + 1;
  return std::to_string(
             std::count(Text.begin(), Text.begin() + Position, '\n') + 1) +
         ": " + Text.substr(Start, Text.find('\n', Position) - Start);
}

/// What a case has besides: a result of pieces that are added, or that a second
/// kernel adds, as that of tiles that are shared; channels that are not
/// neighbours; operations on the operands, one with an auxiliary operand;
/// these, and more groups than a tile has.
enum class Extra { None, Added, TwoStages, ChannelsFirst, Operands, Groups };

struct FaultCase {
  const char *Processor;
  DataType Type;
  ConvDirection Direction;
  int Dims, Channels, Results; ///< channels of input and output in a group
  const char *Algo;            ///< what is left open is resolved
  Extra With = Extra::None;
};

using enum ConvDirection;
using enum DataType;

/// Those that take least time come first.
constexpr FaultCase Cases[] = {
    {"cpu", FP32, FORWARD, 3, 5, 19, "{kind=DIRECT,block_size=64}"},
    {"cpu", FP32, BACKWARD_DATA, 2, 5, 19, "{kind=DIRECT,block_size=64}"},
    {"cpu", FP16, BACKWARD_WEIGHT, 1, 5, 19, "{kind=DIRECT,block_size=64}"},
    {"cpu", FP32, FORWARD, 2, 5, 19,
     "{isa=VALU,tile={m=16,n=16,k=8},thread={m1=2,n1=2}}"},
    {"cpu", FP32, BACKWARD_DATA, 3, 5, 19,
     "{isa=VALU,tile={m=16,n=16,k=8},thread={m1=2,n1=2}}"},
    {"cpu", FP32, BACKWARD_WEIGHT, 3, 5, 19,
     "{isa=VALU,tile={m=16,n=16,k=8},thread={m1=2,n1=2}}"},
    {"cpu", FP32, FORWARD, 2, 8, 24,
     "{isa=VALU,tile={m=16,n=16,k=8},thread={m1=2,n1=2}}"},
    {"cpu", FP32, BACKWARD_DATA, 2, 9, 18,
     "{isa=VALU,tile={m=16,n=16,k=8},thread={m1=2,n1=2},split={k_batch=3}}",
     Extra::Added},
    {"cpu", FP16, FORWARD, 2, 9, 18,
     "{isa=VALU,tile={m=16,n=16,k=8},thread={m1=2,n1=2},"
     "split={k_batch=3,two_stage=1}}",
     Extra::TwoStages},
    {"cpu", FP32, FORWARD, 2, 2, 3,
     "{isa=VALU,tile={m=16,n=16,k=8},thread={m1=2,n1=2},"
     "split={k_batch=1,groups_merge=4}}",
     Extra::Groups},
    {"cpu", FP16, BACKWARD_DATA, 2, 4, 6,
     "{isa=VALU,tile={m=16,n=16,k=8},thread={m1=2,n1=2},"
     "split={k_batch=2,two_stage=1,groups_merge=3}}",
     Extra::Groups},
    {"cpu", FP32, BACKWARD_WEIGHT, 1, 2, 3,
     "{isa=VALU,tile={m=16,n=16,k=8},thread={m1=2,n1=2},"
     "split={k_batch=1,groups_merge=4}}",
     Extra::Groups},
    // Most tiles are whole; four work-groups share two.
    {"cpu", FP16, FORWARD, 2, 9, 18,
     "{isa=VALU,tile={m=4,n=32,k=8},thread={m1=2,n1=2},split={stream_k={}}}",
     Extra::TwoStages},
    {"cpu", FP32, BACKWARD_DATA, 2, 16, 12,
     "{isa=VALU,tile={m=64,n=16,k=8},thread={m1=2,n1=2},"
     "split={stream_k={reduction=TREE,persistent=1}}}",
     Extra::TwoStages},
    {"gfx90a", FP16, FORWARD, 2, 16, 48, "{tile={m=64,n=64}}"},
    {"cpu", FP32, BACKWARD_DATA, 2, 5, 19,
     "{isa=VALU,tile={m=16,n=32,k=8},thread={m1=2,n1=2}}", Extra::Operands},
    // A row of k has more elements than the work-group has threads.
    {"cpu", FP32, FORWARD, 2, 5, 19,
     "{isa=VALU,tile={m=8,n=8,k=64},thread={m1=2,n1=1}}"},
    {"gfx90a", FP32, FORWARD, 2, 5, 19,
     "{tile={m=64,n=32,k=16},wave={waves={m=2,n=1},instr={m=16}}}",
     Extra::Operands},
    {"gfx942", FP16, FORWARD, 2, 16, 48,
     "{tile={m=64,n=32,k=32},wave={waves={m=2,n=1},instr={m=32}}}",
     Extra::ChannelsFirst},
    {"gfx1201", BF16, BACKWARD_WEIGHT, 2, 16, 48,
     "{tile={m=32,n=64,k=32},wave={waves={m=1,n=2}}}", Extra::ChannelsFirst},
    {"gfx90a", FP16, FORWARD, 2, 5, 19,
     "{tile={m=64,n=64,k=32},wave={waves={m=2,n=1},instr={m=16}}}"},
    {"gfx90a", FP32, BACKWARD_WEIGHT, 1, 16, 48,
     "{tile={m=32,n=64,k=16},wave={waves={m=1,n=1},instr={m=32}}}"},
    {"gfx1030", FP32, BACKWARD_WEIGHT, 3, 5, 19,
     "{isa=VALU,tile={m=32,n=16,k=8},thread={m1=2,n1=2}}"},
    {"gfx90a", I8, FORWARD, 3, 5, 19,
     "{tile={m=32,n=32,k=16},wave={waves={m=1,n=1},instr={m=32}}}"},
    {"gfx942", BF16, BACKWARD_DATA, 2, 16, 48,
     "{tile={m=32,n=32,k=32},wave={waves={m=1,n=1},instr={m=16}},"
     "pipeline={version=V4},c={shuffle={m=2,n=2}}}"},
    {"gfx1100", FP16, FORWARD, 2, 16, 48,
     "{tile={m=32,n=32,k=32},wave={waves={m=1,n=1}},a={k_pack=4},"
     "pipeline={version=V1,double_lds=1}}"},
    {"gfx1100", BF16, BACKWARD_DATA, 2, 5, 19,
     "{tile={m=32,n=16,k=16},wave={waves={m=1,n=1}},split={index64=1}}"},
    {"gfx1201", I8, FORWARD, 2, 16, 48,
     "{tile={m=32,n=32,k=64},wave={waves={m=2,n=1}}}"},
    {"gfx1030", FP32, FORWARD, 1, 5, 19,
     "{isa=VALU,tile={m=32,n=16,k=8},thread={m1=2,n1=2},"
     "split={split_image=1}}"},
    {"gfx90a", FP16, BACKWARD_WEIGHT, 2, 16, 48,
     "{tile={m=32,n=64,k=16},wave={waves={m=1,n=1},instr={m=32}},"
     "split={split_image=1}}"},
    {"gfx1030", FP16, BACKWARD_DATA, 2, 16, 48,
     "{isa=VALU,tile={m=32,n=32,k=16},thread={m1=2,n1=2,k_per_thread=2},"
     "pipeline={version=V3}}"},
    {"gfx90a", FP16, BACKWARD_WEIGHT, 2, 16, 48,
     "{isa=DOT,tile={m=32,n=32,k=16},thread={m1=2,n1=2,k_per_thread=4}}"},
    {"gfx1201", BF16, BACKWARD_DATA, 2, 16, 48,
     "{isa=DOT,tile={m=32,n=64,k=16},thread={m1=2,n1=2}}"},
    {"gfx1030", I8, FORWARD, 2, 16, 48,
     "{isa=DOT,tile={m=32,n=64,k=16},thread={m1=2,n1=4}}"},
    {"gfx1100", U8, FORWARD, 2, 16, 48,
     "{isa=DOT,tile={m=32,n=32,k=16},thread={m1=2,n1=2}}"},
    {"gfx90a", U8, FORWARD, 2, 5, 19,
     "{isa=MFMA,tile={m=32,n=32,k=16},wave={waves={m=1,n=1},instr={m=32}}}"},
    {"gfx942", FP8, BACKWARD_DATA, 2, 16, 48,
     "{isa=MFMA,tile={m=32,n=32,k=32},wave={waves={m=1,n=1},instr={m=16}}}"},
    {"gfx1201", FP8, FORWARD, 2, 16, 48,
     "{tile={m=32,n=32,k=32},wave={waves={m=1,n=1}}}"},
    {"gfx942", U8, FORWARD, 2, 16, 48,
     "{isa=DOT,tile={m=32,n=32,k=16},thread={m1=2,n1=2}}"},
    {"gfx90a", FP32, BACKWARD_WEIGHT, 2, 9, 18,
     "{tile={m=32,n=32,k=16},wave={waves={m=1,n=1},instr={m=32}},"
     "split={k_batch=3}}",
     Extra::Added},
    {"gfx90a", FP16, FORWARD, 2, 9, 18,
     "{tile={m=32,n=32,k=16},wave={waves={m=2,n=2},instr={m=16}},"
     "split={k_batch=3,two_stage=1}}",
     Extra::TwoStages},
    // Vectors of two groups.
    {"gfx90a", FP16, FORWARD, 2, 4, 8,
     "{tile={m=64,n=32,k=32},wave={waves={m=2,n=1}},"
     "split={k_batch=1,groups_merge=4}}",
     Extra::Groups},
    {"gfx1030", FP32, BACKWARD_WEIGHT, 3, 5, 3,
     "{isa=VALU,tile={m=32,n=64,k=8},thread={m1=2,n1=4},"
     "split={k_batch=1,groups_merge=4}}",
     Extra::Groups},
    {"gfx90a", FP16, FORWARD, 2, 9, 18,
     "{tile={m=32,n=32,k=16},wave={waves={m=2,n=2},instr={m=16}},"
     "split={stream_k={reduction=TREE}}}",
     Extra::TwoStages},
};

void setOperands(const FaultCase &Row, Signature &Sig) {
  if (Row.With == Extra::ChannelsFirst) {
    Sig.input.config.layout = TensorLayout::NGCHW;
    Sig.weight.config.layout = TensorLayout::GKCYX;
    Sig.output.config.layout = TensorLayout::NGKHW;
  }
  if (Row.With != Extra::Operands && Row.With != Extra::Groups)
    return;
  bool IsForward = Row.Direction == FORWARD;
  Tensor &Other = IsForward ? Sig.input : Sig.output;
  Operation &Its = Other.operation.make();
  Its.elementwise_operation = ElementwiseOperation::SCALE_ADD;
  Its.auxiliary_operand_configs.push({.data_type = FP32});
  if (Row.Direction != BACKWARD_WEIGHT) // else it is the result
    Sig.weight.operation.make().elementwise_operation =
        ElementwiseOperation::RELU;
}

/// Of a result whose pieces are added: what is linear, in a type that adds.
void setResult(const FaultCase &Row, Tensor &Result) {
  Operation &Its = Result.operation.make();
  if (Row.With != Extra::Added && Row.With != Extra::TwoStages) {
    Its.elementwise_operation = ElementwiseOperation::ADD_CLAMP;
    Its.auxiliary_operand_configs.push({.data_type = FP32});
  } else {
    Its.elementwise_operation = Row.With == Extra::Added
                                    ? ElementwiseOperation::SCALE
                                    : ElementwiseOperation::RELU;
  }
  if (isInteger(Row.Type))
    Result.config.data_type = I32;
  else if (Row.With == Extra::Added)
    Result.config.data_type = FP32;
}

/// Each number differs from the others, so that none can stand for another.
ConvCase makeCase(const FaultCase &Row) {
  ConvCase Case;
  Case.Form = hasFnuz(Row.Processor) ? Fp8Form::Fnuz : Fp8Form::Ocp;
  Case.Sig.spatial_dim = Row.Dims;
  Case.Sig.direction = Row.Direction;
  Case.Sig.data_type = Row.Type;
  Tensor *Tensors[] = {&Case.Sig.input, &Case.Sig.weight, &Case.Sig.output};
  setResult(Row, *Tensors[Case.result()]);
  setOperands(Row, Case.Sig);
  Case.Sig = resolveSignature(Case.Sig);
  Case.Numbers = argsFor(Case.Sig);
  Case.P = {.groups = Row.With == Extra::Groups ? 6 : 2,
            .batch = 3,
            .c = Row.Channels,
            .k = Row.Results};
  constexpr int Images[] = {8, 7, 6}, Filters[] = {3, 2, 2};
  for (int D = 0; D < Row.Dims; ++D) {
    Case.P.image.push(Images[D]);
    Case.P.filter.push(Filters[D]);
    Case.P.stride.push(D % 2 + 1);
    Case.P.dilation.push(D % 2 ? 1 : 2);
    Case.P.pad.push({1, D});
  }
  return Case;
}

/// A case with numbers, and its code without a fault.
struct Prepared {
  ConvCase Case;
  Algorithm How;
  std::string Processor;
  std::string Image; ///< empty: the CPU's
};

Result<Prepared> prepare(const FaultCase &Row) {
  Prepared Ready{makeCase(Row), {}, Row.Processor, ""};
  Algorithm Partial;
  if (parseText(Row.Algo, Partial).failed())
    return Status(StatusCode::InvalidArgument, Row.Algo);
  // The CPU runs what is made for a processor without matrix instructions.
  bool IsCpu = Ready.Processor == CpuProcessor;
  Resolved R = resolve(Ready.Case.Sig, Partial,
                       Target(IsCpu ? "gfx1030" : Row.Processor), Ready.Case.P);
  if (!R.ok())
    return Status(StatusCode::InvalidArgument, std::string(R.Why.view()));
  Ready.How = R.Algo;
  // WMMA of gfx11 does not give 0 for 1 - 1.
  bool NoSigns = Ready.Processor.starts_with("gfx11");
  if (!Ready.Case.fill(1,
                       NoSigns ? TestNumbers::Naturals : TestNumbers::Integers))
    return Status(StatusCode::InvalidArgument, Row.Algo);
  Result<ConvKernel> Kernel = ConvKernel::compile(
      Ready.Case.Sig, Ready.How, Ready.Processor, testOptions());
  if (!Kernel)
    return Kernel.status();
  if (!IsCpu)
    Ready.Image = Kernel->image();
  // A case that is wrong without a fault would catch every one.
  Result<std::unique_ptr<Backend>> On = makeBackend(Ready.Processor);
  if (!On)
    return On.status();
  Result<TensorBytes> Own = runOn(**On, *Kernel, Ready.Case);
  if (!Own)
    return Own.status();
  std::string Wrong = Ready.Case.compare(Ready.Case.expected(), *Own);
  if (!Wrong.empty())
    return Status(StatusCode::InvalidArgument, "without a fault: " + Wrong);
  return Ready;
}

/// Of a process that tries a fault: its exit status, too.
enum class Outcome { NotCompiled, Same, Survived, Caught };
constexpr int BrokenCase = 9;

/// What one case says of a fault.
Outcome computeOutcome(const Prepared &In, const Fault &The) {
  Result<KernelSource> Source = emit(In.Case.Sig, In.How, In.Processor);
  Result<std::unique_ptr<Backend>> On = makeBackend(In.Processor);
  if (!Source || !On)
    std::exit(BrokenCase);
  std::string &Text = Source->Headers[The.File].second;
  Text.replace(The.At, The.Change.From.size(), The.Change.To);
  Result<ConvKernel> Kernel = ConvKernel::compile(
      std::move(*Source), In.Case.Sig, In.How, In.Processor, testOptions());
  if (!Kernel)
    return Outcome::NotCompiled;
  if (!In.Image.empty() && Kernel->image() == In.Image)
    return Outcome::Same;
  Result<TensorBytes> Computed = runOn(**On, *Kernel, In.Case);
  if (!Computed || !In.Case.compare(In.Case.expected(), *Computed).empty())
    return Outcome::Caught;
  return In.Image.empty() ? Outcome::Same : Outcome::Survived;
}

/// What all cases say of a fault.
Outcome computeOutcome(const std::vector<Prepared> &All, const Fault &The) {
  Outcome Most = Outcome::Same;
  for (const Prepared &Each : All) {
    Outcome Is = computeOutcome(Each, The);
    if (Is == Outcome::NotCompiled || Is == Outcome::Caught)
      return Is;
    Most = std::max(Most, Is);
  }
  return Most;
}

/// In a process of its own: a fault may overwrite memory, or never end, which
/// are ways to be noticed.
pid_t startChild(const std::vector<Prepared> &All, const Fault &The) {
  pid_t Child = ::fork();
  if (Child != 0)
    return Child;
  constexpr rlim_t MostSeconds = 30; // of processor time
  rlimit Limit{MostSeconds, MostSeconds};
  ::setrlimit(RLIMIT_CPU, &Limit);
  rlimit NoCore{};
  ::setrlimit(RLIMIT_CORE, &NoCore);
  ::_exit(static_cast<int>(computeOutcome(All, The)));
}

Result<Outcome> outcomeOfChild(pid_t Child) {
  int WaitStatus = 0;
  if (Child < 0 || ::waitpid(Child, &WaitStatus, 0) != Child ||
      (WIFEXITED(WaitStatus) && WEXITSTATUS(WaitStatus) > int(Outcome::Caught)))
    return Status(StatusCode::IoError, "a case cannot be run");
  return WIFEXITED(WaitStatus) ? static_cast<Outcome>(WEXITSTATUS(WaitStatus))
                               : Outcome::Caught;
}

/// The outcomes of faults, in their order, as many at a time as there are
/// processors.
std::vector<Result<Outcome>> computeOutcomes(const std::vector<Prepared> &All,
                                             const Fault *First, size_t Count) {
  std::vector<pid_t> Children;
  for (size_t I = 0; I < Count; ++I)
    Children.push_back(startChild(All, First[I]));
  std::vector<Result<Outcome>> Found;
  for (pid_t Child : Children)
    Found.push_back(outcomeOfChild(Child));
  return Found;
}

/// Caches of children that were killed are in here.
struct TemporaryFolder {
  std::string Path = std::filesystem::temp_directory_path() / "kpack-XXXXXX";
  TemporaryFolder() {
    if (!::mkdtemp(Path.data()))
      std::abort();
    ::setenv("TMPDIR", Path.c_str(), 1);
  }
  ~TemporaryFolder() {
    std::error_code Ignored;
    std::filesystem::remove_all(Path, Ignored);
  }
};

void printFault(const char *Label, const KernelSource &Whole,
                const Fault &Each) {
  std::printf("  %s: %s:%s\n    '%s' for '%s'\n", Label,
              Whole.Headers[Each.File].first.c_str(),
              getLine(Whole.Headers[Each.File].second, Each.At).c_str(),
              std::string(Each.Change.To).c_str(),
              std::string(Each.Change.From).c_str());
}

} // namespace

/// Whether each line of the list is one of the sources'.
static bool printUnknownLines(const KernelSource &Whole,
                              const std::vector<Fault> &Faults) {
  bool Known = true;
  for (const Harmless &Each : HarmlessFaults) {
    bool Found =
        std::any_of(Faults.begin(), Faults.end(),
                    [&](const Fault &The) { return isIt(Whole, The, Each); });
    if (!Found)
      std::printf("V7: FaultsWithoutEffect.def: %.*s has no line '%.*s'\n",
                  int(Each.File.size()), Each.File.data(),
                  int(Each.Line.size()), Each.Line.data());
    Known &= Found;
  }
  return Known;
}

bool conv::acceptFaults(const AcceptRun &Run) {
  TemporaryFolder Folder;
  std::vector<Prepared> All;
  for (const FaultCase &Each : Cases) {
    Result<Prepared> Ready = prepare(Each);
    if (!Ready) {
      std::printf("V7: %s %s: %s\n", Each.Processor, Each.Algo,
                  Ready.status().message().c_str());
      return false;
    }
    All.push_back(std::move(*Ready));
  }
  Result<KernelSource> Whole =
      emit(All[0].Case.Sig, All[0].How, All[0].Processor);
  if (!Whole)
    return false;
  std::vector<Fault> Faults = getFaults(*Whole);
  if (!printUnknownLines(*Whole, Faults))
    return false;
  std::erase_if(Faults,
                [&](const Fault &Each) { return isHarmless(*Whole, Each); });
  std::shuffle(Faults.begin(), Faults.end(), std::mt19937(Run.Seed));
  Fault None{0, 0, {"", ""}};
  Result<Outcome> Unchanged = computeOutcomes(All, &None, 1)[0];
  if (!Unchanged || *Unchanged != Outcome::Same) {
    std::printf("V7: code is another one each time\n");
    return false;
  }
  unsigned Seen = 0, Counts[4] = {};
  size_t AtOnce = std::max(1U, std::thread::hardware_concurrency());
  for (size_t First = 0; First < Faults.size() && Seen < Run.Count;
       First += AtOnce) {
    std::fflush(stdout);
    size_t Count = std::min(AtOnce, Faults.size() - First);
    std::vector<Result<Outcome>> Found =
        computeOutcomes(All, &Faults[First], Count);
    for (size_t I = 0; I < Count && Seen < Run.Count; ++I) {
      if (!Found[I])
        return false;
      ++Counts[static_cast<int>(*Found[I])];
      Seen += *Found[I] >= Outcome::Survived;
      if (*Found[I] == Outcome::Survived)
        printFault("survived", *Whole, Faults[First + I]);
      else if (*Found[I] == Outcome::Same)
        printFault("the same code", *Whole, Faults[First + I]);
    }
  }
  auto Caught = Counts[static_cast<int>(Outcome::Caught)];
  std::printf("V7: %zu places; of those tried %u do not compile, %u leave the "
              "code as it was\n",
              Faults.size(), Counts[static_cast<int>(Outcome::NotCompiled)],
              Counts[static_cast<int>(Outcome::Same)]);
  printShare("V7, caught", Caught, Seen);
  return Seen == Run.Count && Caught * 100 >= Seen * 98;
}
