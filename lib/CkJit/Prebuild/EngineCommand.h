//===- EngineCommand.h - command line for ninja and Slurm -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Engines that distribute blobs to machines (NinjaFile.cpp, SlurmFile.cpp) run
// this command with a blob and its target appended. All its paths are absolute:
// the engine selects the folder.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_PREBUILD_ENGINECOMMAND_H
#define KPACK_LIB_CKJIT_PREBUILD_ENGINECOMMAND_H

#include "Prebuild.h"

namespace kpack::ckjit {

/// Returns the file that lists the blobs.
std::string manifestPath(const Choice &Chosen);

/// Returns the words of `ck-jit prebuild build` without blob and target.
std::vector<std::string> engineCommand(const Choice &Chosen,
                                       const Source &Input);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_PREBUILD_ENGINECOMMAND_H
