//===- EngineCommand.h - what build engines run for a blob ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Engines that spread blobs over machines (NinjaFile.cpp, SlurmFile.cpp) run
// the one command that is made here, with a blob and its target added to it.
// All paths in it are absolute: an engine chooses the folder.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_PREBUILD_ENGINECOMMAND_H
#define KPACK_LIB_CKJIT_PREBUILD_ENGINECOMMAND_H

#include "Prebuild.h"

namespace kpack::ckjit {

/// The file that says which blobs there are.
std::string manifestPath(const Choice &Chosen);

/// The words of `ck-jit prebuild build` without blob and target.
std::vector<std::string> engineCommand(const Choice &Chosen,
                                       const Source &From);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_PREBUILD_ENGINECOMMAND_H
