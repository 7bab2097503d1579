//===- Module.cpp - export of the in-process compilers --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the module's only export: Jit/Helper/MappedCompilers.h.
//
//===----------------------------------------------------------------------===//
#include "Tools.h"

#include "Jit/Helper/MappedCompilers.h"

#include "llvm/Support/TargetSelect.h"

#include <malloc.h>

using namespace kpack::jit;

namespace {

class Compilers : public MappedCompilers {
public:
  Compilers() {
    // Keep freed memory for the next command: a new page costs more than all
    // work on it.
    ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
  }

  void warmUp() override { warmUpTools(); }

  std::optional<int> run(const std::vector<std::string> &Arguments) override {
    if (!Files.isClang(Arguments[0]))
      return std::nullopt;
    std::vector<const char *> Args;
    for (const std::string &Argument : Arguments)
      Args.push_back(Argument.c_str());
    return runDriver(Args, Files, Left);
  }

  bool isSpent() const override { return Left.AreLasting; }

private:
  MappedFiles Files;
  Traces Left;
};

} // namespace

extern "C" __attribute__((visibility("default"))) MappedCompilers *
KPACK_JIT_MAP_COMPILERS() {
  // Never destroyed: its processes end by _exit().
  return new Compilers;
}
