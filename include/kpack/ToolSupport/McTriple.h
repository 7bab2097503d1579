//===- kpack/ToolSupport/McTriple.h - what MC calls a target ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that make the parts of a disassembler take a triple as such
// since LLVM 22 and as text before. For whoever disassembles, with any LLVM
// that is supported; this header alone links nothing of it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_MCTRIPLE_H
#define KPACK_TOOLSUPPORT_MCTRIPLE_H

#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Triple.h"

namespace kpack {

#if LLVM_VERSION_MAJOR >= 22
inline const llvm::Triple &forMc(const llvm::Triple &T) { return T; }
#else
inline llvm::StringRef forMc(const llvm::Triple &T) { return T.str(); }
#endif

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_MCTRIPLE_H
