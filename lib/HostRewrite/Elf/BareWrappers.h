//===- BareWrappers.h - fat-binary wrappers without sections ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds wrappers in a file without section headers (-z nosectionheader, sstrip)
// by their contents: structs that begin with the magic number and version and
// whose pointer leads to a bundle. The pointer comes from a relocation or, in a
// program that is not relocated, from the file. With section headers
// Offload/Wrappers.h finds them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_BAREWRAPPERS_H
#define KPACK_LIB_HOSTREWRITE_ELF_BAREWRAPPERS_H

#include "ElfView.h"
#include "Offload/Wrappers.h"

namespace kpack::hostrewrite {

/// Ordered by address. Wrappers of host-only files are included.
llvm::Expected<std::vector<offload::Wrapper>>
findBareWrappers(const ElfView &View);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_BAREWRAPPERS_H
