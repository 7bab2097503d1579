//===- Linker.cpp - lld in this process -----------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses one thread: the links are small, and starting threads takes longer than
// they save. Their number does not change the output.
//
//===----------------------------------------------------------------------===//
#include "Tools.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

using namespace kpack;
using llvm::StringRef;

/// Returns true if an option changes global state. The driver passes
/// "-amdgpu-internalize-symbols" for every HIP source; that option is reset.
static bool leavesTraces(StringRef Arg) {
  return Arg.starts_with("-mllvm") || Arg.starts_with("--mllvm") ||
         Arg.contains("load-pass-plugin") ||
         (Arg.starts_with("-plugin-opt=-") &&
          Arg != "-plugin-opt=-amdgpu-internalize-symbols");
}

int jit::runLinker(llvm::ArrayRef<const char *> Args, Traces &Left) {
  Left.AreLasting |= llvm::any_of(Args, leavesTraces);
  llvm::cl::ResetAllOptionOccurrences();
  llvm::parallel::strategy = llvm::hardware_concurrency(1);
  lld::Result Done = lld::lldMain(Args, llvm::outs(), llvm::errs(),
                                  {{lld::Gnu, &lld::elf::link}});
  Left.AreLasting |= !Done.canRunAgain;
  llvm::outs().flush();
  return Done.retCode;
}
