//===- AotTest.cpp - tests: equal code from instance and executor ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler makes of an instance (Instance.h) is what the executor has
// made of the text for the same values (Emit.h): the instructions of the kernel
// and its descriptor, byte for byte. Each pair is a program of its own: with
// other kernels in front of it, LLVM writes a branch the other way round now
// and then. KPACK_CONV_AOT_PAIRS=N takes the first N of a processor's;
// none without it: compilers take seconds for each, and
// test/ConvBuilder/aot.test has one of each kind.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/Kernel.h"
#include "kpack/ConvBuilder/KernelConfig.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// A folder that goes away with the process.
class TestFolder {
public:
  TestFolder() {
    std::string Pattern = testing::TempDir() + "kpack-conv-aot-XXXXXX";
    Path = ::mkdtemp(Pattern.data());
  }
  ~TestFolder() {
    std::error_code Ignored;
    std::filesystem::remove_all(Path, Ignored);
  }
  std::string Path;
};

using Bytes = std::map<std::string, std::string>; ///< by symbol

/// The bytes of all functions and descriptors of a code object. A descriptor
/// says how far away its kernel is, which depends on what else there is.
Bytes bytesOf(std::string_view Image) {
  Bytes Found;
  auto Buffer = llvm::MemoryBuffer::getMemBuffer(Image, "", false);
  auto File = llvm::object::ObjectFile::createELFObjectFile(*Buffer);
  if (!File) {
    ADD_FAILURE() << llvm::toString(File.takeError());
    return Found;
  }
  for (const llvm::object::ELFSymbolRef Symbol : (*File)->symbols()) {
    auto Name = Symbol.getName();
    auto Section = Symbol.getSection();
    auto Address = Symbol.getAddress();
    if (!Name || !Section || !Address || *Section == (*File)->section_end())
      continue;
    auto Contents = (*Section)->getContents();
    if (!Contents || (*Section)->isVirtual())
      continue;
    std::string Own =
        Contents->substr(*Address - (*Section)->getAddress(), Symbol.getSize())
            .str();
    if (Name->ends_with(".kd") && Own.size() == 64)
      std::memset(Own.data() + 16, 0, 8);
    Found[Name->str()] = Own;
  }
  return Found;
}

/// The name that compilers make of the kernel's template.
std::string getSymbol(const Lowered &L) {
  auto Argument = [](int Value) {
    return "Li" +
           (Value < 0 ? "n" + std::to_string(-Value) : std::to_string(Value)) +
           "E";
  };
  detail::NumberList Numbers(L);
  std::string Symbol = "_ZN5kpack4conv6detail10convKernelI" +
                       Argument(static_cast<int>(KernelStep::Main)) +
                       Argument(auxiliaryCount(L)) + Argument(L.block_size) +
                       "J";
  for (int I = 0; I < Numbers.Count; ++I)
    Symbol += Argument(Numbers.Of[I]);
  return Symbol + "EEEvNS0_6device12AllArgumentsIXT0_EEE";
}

struct Pair {
  Signature Sig;
  Algorithm How;
};

template <typename T> T valueOf(std::string_view Text) {
  T Value;
  TextError Wrong = parseText(Text, Value);
  EXPECT_FALSE(Wrong.failed()) << Text << Wrong.Message.view();
  return Value;
}

/// The code object of a program with this instance.
std::string compileInstance(const Pair &P, const std::string &Gpu) {
  TestFolder In;
  std::ofstream Source(In.Path + "/instance.hip");
  Source << "#include \"hip_subset.h\"\n"
            "#include \"kpack/ConvBuilder/Instance.h\"\n"
            "using namespace kpack::conv;\n"
            "constexpr Signature Sig = "
         << cxxText(P.Sig) << ";\nconstexpr Algorithm How = " << cxxText(P.How)
         << ";\nauto conv() { return make_conv_instance<Sig, How>(); }\n";
  Source.close();
  std::string Command =
      CONV_TEST_COMPILER " -x hip -O3 -std=c++20 -nogpuinc -nogpulib "
                         "-mcode-object-version=4 -fno-math-errno "
                         "--offload-device-only --no-gpu-bundle-output "
                         "-I " CONV_TEST_SOURCE "/include "
                         "-I " CONV_TEST_SOURCE "/examples --offload-arch=" +
      Gpu + " " + In.Path + "/instance.hip -o " + In.Path + "/image";
  EXPECT_EQ(std::system(Command.c_str()), 0) << Command;
  std::ifstream Image(In.Path + "/image", std::ios::binary);
  return {std::istreambuf_iterator<char>(Image), {}};
}

/// Of what the executor makes.
Bytes compileText(const Pair &P, const std::string &Gpu,
                  const jit::Options &With, std::string &Symbol) {
  Result<ConvKernel> Kernel = ConvKernel::compile(P.Sig, P.How, Gpu, With);
  if (!Kernel) {
    ADD_FAILURE() << Kernel.status().message();
    return {};
  }
  Symbol = Kernel->symbol();
  return bytesOf(Kernel->image());
}

constexpr const char *Signatures[] = {
    "{spatial_dim=2,data_type=FP16,output={operation={elementwise_operation="
    "RELU}}}",
    "{spatial_dim=1,data_type=FP32,direction=BACKWARD_WEIGHT}",
    "{spatial_dim=3,data_type=BF16,direction=BACKWARD_DATA,input={operation={"
    "elementwise_operation=BILINEAR,auxiliary_operand_configs=[{data_type="
    "FP32}]}}}",
    "{spatial_dim=2,data_type=I8}",
    "{spatial_dim=1,data_type=FP8,output={config={data_type=FP32}}}",
};

/// Each signature with each kind, another kind for each of the first ones, and
/// one with two groups in a tile; what is not valid is none.
std::vector<Pair> pairsFor(const std::string &Gpu) {
  constexpr Kind Kinds[] = {Kind::IMPLICIT_GEMM, Kind::DIRECT, Kind::REFERENCE};
  std::vector<Pair> Pairs;
  for (size_t Shift = 0; Shift < std::size(Kinds); ++Shift)
    for (size_t I = 0; I < std::size(Signatures); ++I) {
      Pair P{valueOf<Signature>(Signatures[I]), {}};
      P.How.kind = Kinds[(I + Shift) % std::size(Kinds)];
      if (P.How.kind == Kind::IMPLICIT_GEMM &&
          P.Sig.direction == ConvDirection::BACKWARD_DATA)
        P.How.split = Split{.k_batch = 1, .groups_merge = 2};
      Resolved R = resolve(P.Sig, P.How, Target(Gpu));
      if (R.ok() && lower(R.Sig, R.Algo, Gpu).ok())
        Pairs.push_back(P);
    }
  return Pairs;
}

class AotTest : public testing::TestWithParam<const char *> {};

TEST_P(AotTest, RecordsMatchCompiledKernels) {
  std::string Gpu = GetParam();
  std::vector<Pair> Pairs = pairsFor(Gpu);
  const char *Wanted = std::getenv("KPACK_CONV_AOT_PAIRS");
  size_t Count = Wanted ? std::strtoul(Wanted, nullptr, 10) : 0;
  ASSERT_GE(Pairs.size(), 7u);
  Pairs.resize(std::min(Count, Pairs.size()));

  TestFolder Cache;
  ::setenv("KPACK_JIT_COMPILER", CONV_TEST_COMPILER, 1);
  Result<jit::Cache> Opened =
      jit::Cache::open({.directory = Cache.Path,
                        .compile_helper = CONV_TEST_HELPER,
                        .on_event = [](const kpack_jit_event *, void *) {}});
  ASSERT_TRUE(Opened.ok()) << Opened.status().message();
  jit::Options With;
  With.cache = *Opened;

  for (const Pair &P : Pairs) {
    Resolved R = resolve(P.Sig, P.How, Target(Gpu));
    Result<Lowered> L = lower(R.Sig, R.Algo, Gpu);
    ASSERT_TRUE(L.ok()) << L.status().message();
    std::string Late, Early = getSymbol(*L);
    Bytes Ahead = bytesOf(compileInstance(P, Gpu));
    Bytes Text = compileText({R.Sig, R.Algo}, Gpu, With, Late);
    for (const char *Suffix : {"", ".kd"}) {
      ASSERT_EQ(Ahead.count(Early + Suffix), 1u) << Early << Suffix;
      EXPECT_GE(Text[Late + Suffix].size(), 64u);
      EXPECT_TRUE(Ahead[Early + Suffix] == Text[Late + Suffix])
          << Late << Suffix << " of " << text(P.Sig) << ' ' << text(P.How);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, AotTest, testing::Values("gfx90a", "gfx1100"),
                         [](const auto &Info) { return Info.param; });

} // namespace
