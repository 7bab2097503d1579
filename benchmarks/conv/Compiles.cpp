//===- Compiles.cpp - processor time of an uncached compile ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seconds that processors spend on a compile of a kernel, the compiler's
// programs and this process together: other load does not count. The compiler
// is started for each, so that all of it ends before the compile does; a
// constant that is another one each time makes each a text that no cache has.
//
//===----------------------------------------------------------------------===//
#include "Groups.h"

#include "kpack/ConvBuilder/Kernel.h"
#include "kpack/ConvBuilder/ResolveSignature.h"

#include <cstdlib>
#include <stdexcept>
#include <sys/resource.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// A matrix instruction, or VALU, of a processor.
struct TiledRow {
  const char *Processor;
  DataType Type;
  Isa In;
  MNK Tile, Waves, Instr;
};

constexpr TiledRow Tiled[] = {
    {"gfx90a",
     DataType::FP16,
     Isa::MFMA,
     {128, 128, 32},
     {2, 2, 1},
     {32, 32, 8}},
    {"gfx942",
     DataType::FP16,
     Isa::MFMA,
     {128, 128, 32},
     {2, 2, 1},
     {32, 32, 8}},
    {"gfx1030", DataType::FP16, Isa::VALU, {64, 64, 16}, {}, {}},
    {"gfx1100",
     DataType::FP16,
     Isa::WMMA,
     {64, 64, 32},
     {2, 2, 1},
     {16, 16, 16}},
    {"gfx1201",
     DataType::FP16,
     Isa::WMMA,
     {64, 64, 32},
     {2, 2, 1},
     {16, 16, 16}},
};

} // namespace

static double processorSeconds() {
  double Sum = 0;
  for (int Whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage Used;
    ::getrusage(Whose, &Used);
    for (const timeval &Time : {Used.ru_utime, Used.ru_stime})
      Sum += static_cast<double>(Time.tv_sec) +
             static_cast<double>(Time.tv_usec) * 1e-6;
  }
  return Sum;
}

static double compileSeconds(const Signature &Sig, const Algorithm &Algo,
                             const char *Processor, const jit::Cache &In) {
  static int Serial = 0;
  jit::Options With;
  With.cache = In;
  With.constants = {jit::constant("number", ++Serial)};
  double Start = processorSeconds();
  Result<ConvKernel> Compiled = ConvKernel::compile(Sig, Algo, Processor, With);
  if (!Compiled)
    throw std::runtime_error(Compiled.status().message());
  return processorSeconds() - Start;
}

static Algorithm makeAlgorithm(const TiledRow &Row) {
  Algorithm Algo;
  Algo.kind = Kind::IMPLICIT_GEMM;
  Algo.isa = Row.In;
  Algo.tile = Row.Tile;
  if (Row.In == Isa::VALU)
    Algo.thread.make().m1 = Algo.thread.make().n1 = 4;
  else
    Algo.wave = WaveTile{Row.Waves, Row.Instr};
  return Algo;
}

static jit::Cache openCache(const std::string &Folder) {
  ::setenv("KPACK_JIT_ROUTE", "fork", 1);
  Result<jit::Cache> Opened =
      jit::Cache::open({.directory = Folder,
                        .compile_helper = HELPER,
                        .on_event = [](const kpack_jit_event *, void *) {}});
  ::unsetenv("KPACK_JIT_ROUTE");
  if (!Opened)
    throw std::runtime_error(Opened.status().message());
  return *Opened;
}

void measureBlobs(const Run &Settings, std::vector<Row> &Rows) {
  jit::Cache In = openCache(Settings.Folder);
  Algorithm Direct;
  Direct.kind = Kind::DIRECT;
  Direct.block_size = 256;
  auto Add = [&](const TiledRow &Row, DataType Type, const Algorithm &By,
                 const char *Name) {
    Signature Sig = resolveSignature({.spatial_dim = 2, .data_type = Type});
    std::vector<double> Seconds;
    for (int I = 0; I <= Settings.Rounds; ++I)
      Seconds.push_back(compileSeconds(Sig, By, Row.Processor, In));
    Seconds.erase(Seconds.begin()); // what is asked once
    Rows.push_back({"blob", std::string(Row.Processor) + ", " + Name, "CPU-s",
                    computeMedian(Seconds), Aim{0.3}});
  };
  for (const TiledRow &Row : Tiled) {
    Add(Row, DataType::FP32, Direct, "DIRECT FP32");
    Add(Row, Row.Type, makeAlgorithm(Row), "IMPLICIT_GEMM FP16");
  }
}
