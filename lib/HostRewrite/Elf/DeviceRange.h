//===- DeviceRange.h - where the device code of a file is -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Section .hip_fatbin or, in a file without section headers, from the first
// bundle that a wrapper leads to through the end of the last one.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_DEVICERANGE_H
#define KPACK_LIB_HOSTREWRITE_ELF_DEVICERANGE_H

#include "WrapperSites.h"

namespace kpack::hostrewrite {

struct DeviceRange {
  Range File;
  uint64_t Address = 0;
  /// None: the file has no section headers.
  std::optional<size_t> Section;

  Range addresses() const { return {Address, Address + File.size()}; }
};

/// Errors: wrappers whose device code is in no such section; without section
/// headers, something else than padding between bundles.
llvm::Expected<DeviceRange> findDeviceRange(const ElfView &View,
                                            const PointerFacts &Pointers);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_DEVICERANGE_H
