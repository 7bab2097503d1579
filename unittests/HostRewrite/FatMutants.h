//===- FatMutants.h - mutations of fat binaries -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mutations.h for what is converted: section headers and the sections that
// they lead to, bundles of device code, and changes of whole entries, as tools
// make them that somebody has written in an afternoon.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_HOSTREWRITE_FATMUTANTS_H
#define KPACK_UNITTESTS_HOSTREWRITE_FATMUTANTS_H

#include "Mutations.h"

namespace kpack::mutations {

/// As inputOf(), with more regions.
Input makeFatInput(std::string Path, std::string Bytes);

/// One to four changes.
Mutant makeFatMutant(const Input &In, Random &R);

} // namespace kpack::mutations

#endif // KPACK_UNITTESTS_HOSTREWRITE_FATMUTANTS_H
