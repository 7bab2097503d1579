//===- CodeObjects.cpp - test tool: code objects of each kind of kernel ---===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-code-objects FOLDER: writes a code object of each kind of kernel there,
// KIND-PROCESSOR.co, an archive of them, conv.kpack, and doctored.co, which
// says that it spills. For test/ConvBuilder/code.test, which looks at them from
// outside.
//
//===----------------------------------------------------------------------===//
#include "CodeObjectWriter.h"
#include "TestCache.h"

#include "kpack/Archive/ArchiveWriter.h"
#include "kpack/ConvBuilder/Kernel.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"

#include <fstream>

using namespace kpack;
using namespace kpack::conv;

namespace {

struct Row {
  const char *Name, *Processor;
  Algorithm How;
};

/// What is left open is completed.
const Row Rows[] = {
    {"direct", "gfx90a", {.kind = Kind::DIRECT, .block_size = 64}},
    {"mfma",
     "gfx90a",
     {.kind = Kind::IMPLICIT_GEMM,
      .isa = Isa::MFMA,
      .tile = MNK{64, 64, 32},
      .wave = WaveTile{{2, 2, 1}, {32, 32, 8}}}},
    {"wmma",
     "gfx1100",
     {.kind = Kind::IMPLICIT_GEMM,
      .isa = Isa::WMMA,
      .tile = MNK{32, 32, 32},
      .wave = WaveTile{{2, 2, 1}, {16, 16, 16}}}},
};

int fail(const Status &S) {
  std::fprintf(stderr, "conv-code-objects: error: %s\n", S.message().c_str());
  return 1;
}

int write(const std::string &Folder) {
  ArchiveWriterOptions Options;
  Options.GroupName = "conv";
  auto Archive = ArchiveWriter::create(Folder + "/conv.kpack", Options);
  if (!Archive)
    return fail(Archive.status());
  for (const Row &Each : Rows) {
    Resolved R = resolve({.spatial_dim = 2, .data_type = DataType::FP16},
                         Each.How, Each.Processor);
    Result<ConvKernel> Kernel =
        ConvKernel::compile(R.Sig, R.Algo, Each.Processor, testOptions());
    if (!Kernel)
      return fail(Kernel.status());
    std::string Name = std::string(Each.Name) + "-" + Each.Processor;
    std::ofstream(Folder + "/" + Name + ".co", std::ios::binary)
        << Kernel->image();
    if (Status S = (*Archive)->add("conv/" + Kernel->symbol(), Each.Processor,
                                   Kernel->image());
        !S.ok())
      return fail(S);
  }
  MadeCodeObject Doctored;
  Doctored.Facts.VgprSpills = 3;
  std::ofstream(Folder + "/doctored.co", std::ios::binary) << Doctored.image();
  if (Status S = (*Archive)->add("other", "gfx90a", buildElf("")); !S.ok())
    return fail(S);
  Status Done = (*Archive)->commit();
  return Done.ok() ? 0 : fail(Done);
}

} // namespace

int main(int Argc, char **Argv) { return Argc == 2 ? write(Argv[1]) : 2; }
