//===- DeviceRange.h - byte range of a file's device code -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The range of section .hip_fatbin or, without section headers, from the first
// bundle that a wrapper points to up to the end of the last one.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_DEVICERANGE_H
#define KPACK_LIB_HOSTREWRITE_ELF_DEVICERANGE_H

#include "WrapperSites.h"

namespace kpack::hostrewrite {

struct DeviceRange {
  Range File;
  uint64_t Address = 0;
  /// Nullopt if the file has no section headers.
  std::optional<size_t> Section;

  Range addresses() const { return {Address, Address + File.size()}; }
};

/// Fails if the device code of a wrapper is outside of the section; without
/// section headers, if there is more than padding between bundles.
llvm::Expected<DeviceRange> findDeviceRange(const ElfView &View,
                                            const PointerFacts &Pointers);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_DEVICERANGE_H
