//===- BareWrappers.h - wrappers without section headers --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file may have no section headers (-z nosectionheader, sstrip). What its
// wrappers are is known all the same: structs that begin with their magic and
// version and whose pointer leads to a bundle. The pointer is the one that a
// relocation makes or, in a program that is not relocated, the one in place.
// With section headers Offload/Wrappers.h finds them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_BAREWRAPPERS_H
#define KPACK_LIB_HOSTREWRITE_ELF_BAREWRAPPERS_H

#include "ElfView.h"
#include "Offload/Wrappers.h"

namespace kpack::hostrewrite {

/// In the order of their addresses. Those of host-only files are found, too.
llvm::Expected<std::vector<offload::Wrapper>>
findBareWrappers(const ElfView &View);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_BAREWRAPPERS_H
