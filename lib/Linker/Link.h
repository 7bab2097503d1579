//===- Linker/Link.h - ld.kpack as a library --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linker of kpack: lld, and with --kpack=FILE the step that takes the
// device code out of the inputs, links the host program with one marker in its
// place and writes the archives (docs/reference/ld.kpack.md).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LINKER_LINK_H
#define KPACK_LINKER_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::linker {

/// Runs ld.kpack with \p Argv, argv[0] included, and returns its exit code.
/// Once a process: lld keeps state, device links run /proc/self/exe, and after
/// a link that was a success interrupts are ignored.
int link(llvm::ArrayRef<const char *> Argv, llvm::raw_ostream &Out,
         llvm::raw_ostream &Err);

} // namespace kpack::linker

#endif // KPACK_LINKER_LINK_H
