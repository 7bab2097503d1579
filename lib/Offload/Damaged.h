//===- Damaged.h - files that no compiler or linker makes -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One advice for each kind of file, whichever of its readers finds that it
// cannot be: an object was damaged or made by something else, and only its
// source can give a right one; a linked file only its objects can.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_OFFLOAD_DAMAGED_H
#define KPACK_LIB_OFFLOAD_DAMAGED_H

#include "ToolSupport/Errors.h"

namespace kpack::offload {

/// \p What is wrong with the object file \p Object.
inline llvm::Error damagedObject(llvm::StringRef Object,
                                 const llvm::Twine &What) {
  return objectError(Object, What + "; compile its source again with "
                                    "kpack-clang++ or hipcc");
}

/// \p What is wrong with the program or library \p Name.
inline llvm::Error damagedBinary(llvm::StringRef Name,
                                 const llvm::Twine &What) {
  return objectError(Name, What + "; link it again with ld.kpack");
}

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_DAMAGED_H
