//===- AcceptFaults.cpp - faults in kernels are noticed -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One place of the kernels' sources is changed as somebody may get it wrong: an
// operator, a number, a dimension, a barrier. What does not compile any more is
// no fault. The others must show in results, on the CPU or on an emulated GPU,
// in one of a few cases that reach all of the sources. A survivor is printed
// with its line: either cases are missing, or the change means the same.
//
//===----------------------------------------------------------------------===//
#include "Accept.h"
#include "DeviceRun.h"

#include "kpack/ConvBuilder/Emit.h"

#include <algorithm>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
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
                          {"load_m", "load_n"},
                          {"barrier();", ";"},
                          {"Left", "Right"},
                          {"Row", "Column"},
                          {"int(C.batch)", "1"}};

/// Files that say how a convolution goes; the others are arithmetic, which has
/// tests of its own.
constexpr std::string_view Files[] = {"view.h", "direct.h", "igemm.h",
                                      "instr.h"};

struct Fault {
  size_t File = 0; ///< of the headers
  size_t At = 0;
  Swap Change;
};

/// Where code begins: behind the comment at the head and the includes.
size_t codeOf(std::string_view Text) {
  size_t At = Text.find("namespace kpack");
  return At == Text.npos ? 0 : At;
}

std::vector<Fault> faultsOf(const KernelSource &From) {
  std::vector<Fault> All;
  for (size_t I = 0; I < From.Headers.size(); ++I) {
    const auto &[Name, Text] = From.Headers[I];
    if (std::none_of(
            std::begin(Files), std::end(Files), [&](std::string_view File) {
              return std::string_view(Name).ends_with("/" + std::string(File));
            }))
      continue;
    for (const Swap &Each : Swaps)
      for (size_t At = codeOf(Text);
           (At = Text.find(Each.From, At)) != Text.npos;
           At += Each.From.size()) {
        size_t Line = Text.rfind('\n', At) + 1;
        std::string_view Start = std::string_view(Text).substr(Line, At - Line);
        // Not of comments and not of what the preprocessor reads.
        if (Start.find("//") == Start.npos && !Start.starts_with("#"))
          All.push_back({I, At, Each});
      }
  }
  return All;
}

std::string lineOf(const std::string &Text, size_t At) {
  size_t Start = Text.rfind('\n', At) + 1;
  return std::to_string(std::count(Text.begin(), Text.begin() + At, '\n') + 1) +
         ": " + Text.substr(Start, Text.find('\n', At) - Start);
}

struct FaultCase {
  const char *Processor;
  DataType Type;
  ConvDirection Direction;
  int Dims;
  Algorithm How;
};

Algorithm tiled(Isa In, MNK Tile, MNK Waves, MNK Instr) {
  Algorithm How;
  How.kind = Kind::IMPLICIT_GEMM;
  How.isa = In;
  How.tile = Tile;
  if (In == Isa::VALU)
    How.thread.make().m1 = How.thread.make().n1 = 2;
  else
    How.wave = WaveTile{Waves, Instr};
  return How;
}

std::vector<FaultCase> faultCases() {
  const Algorithm Direct{.kind = Kind::DIRECT, .block_size = 64};
  const Algorithm Valu = tiled(Isa::VALU, {16, 16, 8}, {}, {});
  using enum ConvDirection;
  return {
      {"cpu", DataType::FP32, FORWARD, 3, Direct},
      {"cpu", DataType::FP32, BACKWARD_DATA, 2, Direct},
      {"cpu", DataType::FP16, BACKWARD_WEIGHT, 1, Direct},
      {"cpu", DataType::I8, FORWARD, 2, Direct},
      {"cpu", DataType::FP32, FORWARD, 2, Valu},
      {"cpu", DataType::FP32, BACKWARD_DATA, 3, Valu},
      {"cpu", DataType::FP32, BACKWARD_WEIGHT, 2, Valu},
      {"gfx90a", DataType::FP16, FORWARD, 2,
       tiled(Isa::MFMA, {64, 32, 16}, {2, 1, 1}, {16, 16, 16})},
      {"gfx942", DataType::FP32, BACKWARD_WEIGHT, 1,
       tiled(Isa::MFMA, {32, 32, 16}, {1, 1, 1}, {32, 32, 2})},
      {"gfx1100", DataType::BF16, BACKWARD_DATA, 2,
       tiled(Isa::WMMA, {32, 16, 16}, {1, 1, 1}, {16, 16, 16})},
      {"gfx1201", DataType::I8, FORWARD, 2,
       tiled(Isa::WMMA, {16, 32, 16}, {1, 2, 1}, {16, 16, 16})},
      {"gfx90a", DataType::I8, FORWARD, 3,
       tiled(Isa::MFMA, {32, 32, 16}, {1, 1, 1}, {32, 32, 8})},
  };
}

/// Each number differs from the others, so that none can stand for another.
ConvCase caseOf(const FaultCase &Of) {
  ConvCase Case;
  Case.Sig.spatial_dim = Of.Dims;
  Case.Sig.direction = Of.Direction;
  Case.Sig.data_type = Of.Type;
  Tensor *Tensors[] = {&Case.Sig.input, &Case.Sig.weight, &Case.Sig.output};
  Operation &Its = Tensors[Case.result()]->operation.make();
  Its.elementwise_operation = ElementwiseOperation::ADD_CLAMP;
  Its.auxiliary_operand_configs.push({.data_type = DataType::FP32});
  if (isInteger(Of.Type))
    Tensors[Case.result()]->config.data_type = DataType::I32;
  Case.Sig = resolveSignature(Case.Sig);
  Case.Numbers = argsFor(Case.Sig);
  Case.P = {.groups = 2, .batch = 3, .c = 5, .k = 19};
  constexpr int Images[] = {8, 7, 6}, Filters[] = {3, 2, 2};
  for (int D = 0; D < Of.Dims; ++D) {
    Case.P.image.push(Images[D]);
    Case.P.filter.push(Filters[D]);
    Case.P.stride.push(D % 2 + 1);
    Case.P.dilation.push(D % 2 ? 1 : 2);
    Case.P.pad.push({1, D});
  }
  return Case;
}

/// Of a process that tries a fault: its exit status, too.
enum class Outcome { Caught, NotCompiled, Survived };
constexpr int BrokenCase = 9;

/// What one case says of a fault.
Outcome outcomeOf(const FaultCase &Of, const Fault &The) {
  ConvCase Case = caseOf(Of);
  Result<KernelSource> From = emit(Case.Sig, Of.How, Of.Processor);
  Result<std::unique_ptr<Backend>> On = makeBackend(Of.Processor);
  bool NoSigns = std::string_view(Of.Processor) == "gfx1100";
  if (!From || !On ||
      !Case.fill(1, NoSigns ? TestNumbers::Naturals : TestNumbers::Integers))
    std::exit(BrokenCase);
  std::string &Text = From->Headers[The.File].second;
  Text.replace(The.At, The.Change.From.size(), The.Change.To);
  Result<ConvKernel> Kernel = ConvKernel::compile(
      std::move(*From), Case.Sig, Of.How, Of.Processor, testOptions());
  if (!Kernel)
    return Outcome::NotCompiled;
  Result<TensorBytes> Made = runOn(**On, *Kernel, Case);
  return Made && Case.compare(Case.expected(), *Made).empty()
             ? Outcome::Survived
             : Outcome::Caught;
}

/// What all cases say of a fault, or of none.
Outcome outcomeOf(const Fault &The) {
  bool IsCompiled = false;
  for (const FaultCase &Each : faultCases()) {
    Outcome Is = outcomeOf(Each, The);
    if (Is == Outcome::Caught)
      return Is;
    IsCompiled |= Is == Outcome::Survived;
  }
  return IsCompiled ? Outcome::Survived : Outcome::NotCompiled;
}

/// In a process of its own: a fault may overwrite memory, or never end, which
/// are ways to be noticed.
Result<Outcome> outcomeInChild(const Fault &The) {
  pid_t Child = ::fork();
  if (Child == 0) {
    constexpr rlim_t MostSeconds = 120; // of processor time
    rlimit Limit{MostSeconds, MostSeconds};
    ::setrlimit(RLIMIT_CPU, &Limit);
    rlimit NoCore{};
    ::setrlimit(RLIMIT_CORE, &NoCore);
    std::exit(static_cast<int>(outcomeOf(The)));
  }
  int How = 0;
  if (Child < 0 || ::waitpid(Child, &How, 0) != Child ||
      (WIFEXITED(How) && WEXITSTATUS(How) > int(Outcome::Survived)))
    return Status(StatusCode::IoError, "a case cannot be run");
  return WIFEXITED(How) ? static_cast<Outcome>(WEXITSTATUS(How))
                        : Outcome::Caught;
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

} // namespace

bool conv::acceptFaults(const AcceptRun &Run) {
  TemporaryFolder Folder;
  Result<KernelSource> Whole =
      emit(caseOf(faultCases()[0]).Sig, faultCases()[0].How, "cpu");
  if (!Whole)
    return false;
  std::vector<Fault> Faults = faultsOf(*Whole);
  std::shuffle(Faults.begin(), Faults.end(), std::mt19937(Run.Seed));
  // Cases that are wrong without a fault would catch every one.
  Result<Outcome> Unchanged = outcomeInChild(Fault{0, 0, {"", ""}});
  if (!Unchanged || *Unchanged != Outcome::Survived) {
    std::printf("V7: cases are wrong without a fault\n");
    return false;
  }
  unsigned Seen = 0, Caught = 0, NotCompiled = 0;
  for (const Fault &Each : Faults) {
    if (Seen == Run.Count)
      break;
    std::fflush(stdout);
    Result<Outcome> Is = outcomeInChild(Each);
    if (!Is)
      return false;
    if (*Is == Outcome::NotCompiled) {
      ++NotCompiled;
      continue;
    }
    ++Seen;
    Caught += *Is == Outcome::Caught;
    if (*Is == Outcome::Survived)
      std::printf("  survived: %s:%s\n    '%s' for '%s'\n",
                  Whole->Headers[Each.File].first.c_str(),
                  lineOf(Whole->Headers[Each.File].second, Each.At).c_str(),
                  std::string(Each.Change.To).c_str(),
                  std::string(Each.Change.From).c_str());
  }
  std::printf("V7: %zu places, %u of those tried do not compile\n",
              Faults.size(), NotCompiled);
  printShare("V7, caught", Caught, Seen);
  return Seen == Run.Count && Caught * 100 >= Seen * 98;
}
