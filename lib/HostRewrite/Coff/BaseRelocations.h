//===- BaseRelocations.h - pointers that Windows relocates ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Windows file holds the addresses for its preferred base, and a list of
// their places. The loader adjusts these when it maps the file elsewhere.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_COFF_BASERELOCATIONS_H
#define KPACK_LIB_HOSTREWRITE_COFF_BASERELOCATIONS_H

#include "Offload/PeImage.h"
#include "Offload/Wrappers.h"

namespace kpack::hostrewrite {

/// Returns the address in each of \p Wrappers; all lead into \p Device, a
/// section of \p Image. Fails if the table is damaged, if the pointer of a
/// movable file has no base relocation, or if another pointer leads to the
/// device code.
llvm::Expected<std::vector<uint64_t>>
readPePointers(const offload::PeImage &Image,
               llvm::ArrayRef<offload::Wrapper> Wrappers,
               const offload::PeImage::Section *Device);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_COFF_BASERELOCATIONS_H
