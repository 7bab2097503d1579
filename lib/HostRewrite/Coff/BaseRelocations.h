//===- BaseRelocations.h - what moves with a Windows image ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Windows file holds the addresses that it has at the base it asks for, and a
// list of the places where they stand, which the loader corrects when it puts
// the file elsewhere.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_COFF_BASERELOCATIONS_H
#define KPACK_LIB_HOSTREWRITE_COFF_BASERELOCATIONS_H

#include "Offload/PeImage.h"
#include "Offload/Wrappers.h"

namespace kpack::hostrewrite {

/// Where each of \p Wrappers leads to, in \p Device, a section of \p Image.
/// Errors: a table that is damaged; a pointer that does not move with a file
/// that may; something else that leads to the device code.
llvm::Expected<std::vector<uint64_t>>
readPePointers(const offload::PeImage &Image,
               llvm::ArrayRef<offload::Wrapper> Wrappers,
               const offload::PeImage::Section *Device);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_COFF_BASERELOCATIONS_H
