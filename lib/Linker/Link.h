//===- Linker/Link.h - ld.kpack: lld and the kpack link step ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack's linker: lld, and with --kpack=FILE the step that takes the device
// code out of the inputs, links the host program with one marker in its place
// and writes the archives (docs/reference/ld.kpack.md).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LINKER_LINK_H
#define KPACK_LINKER_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::linker {

/// Runs ld.kpack with \p Argv, argv[0] included, and returns its exit code.
/// Call once in a process: lld keeps state, device links run /proc/self/exe,
/// and interrupts are ignored after a successful link.
int link(llvm::ArrayRef<const char *> Argv, llvm::raw_ostream &Out,
         llvm::raw_ostream &Err);

} // namespace kpack::linker

#endif // KPACK_LINKER_LINK_H
