//===- ld.kpack.cpp - main() of the linker --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld plus the kpack link step. lib/Linker implements it.
//
//===----------------------------------------------------------------------===//
#include "Linker/Link.h"
#include "lld/Common/ErrorHandler.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"

int main(int Argc, char **Argv) {
  llvm::InitLLVM Setup(Argc, Argv);
  llvm::setBugReportMsg("ld.kpack: this is a bug in ld.kpack or lld; please "
                        "report it with what follows and the inputs\n");
  int Code = kpack::linker::link(llvm::ArrayRef(Argv, Argc), llvm::outs(),
                                 llvm::errs());
  llvm::outs().flush();
  // Exit without the destructors of lld's arenas.
  lld::exitLld(Code);
}
