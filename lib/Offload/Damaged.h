//===- Damaged.h - errors about damaged files -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One remedy for each kind of file, whichever reader finds the damage. An
// object was damaged or made by another tool, and must be compiled again; a
// linked file must be linked again.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_OFFLOAD_DAMAGED_H
#define KPACK_LIB_OFFLOAD_DAMAGED_H

#include "ToolSupport/Errors.h"

namespace kpack::offload {

/// Reports the problem \p What of the object file \p Object.
inline llvm::Error damagedObject(llvm::StringRef Object,
                                 const llvm::Twine &What) {
  return objectError(Object, What + "; compile its source again with "
                                    "kpack-clang++ or hipcc");
}

/// Reports the problem \p What of the program or library \p Name.
inline llvm::Error damagedBinary(llvm::StringRef Name,
                                 const llvm::Twine &What) {
  return objectError(Name, What + "; link it again with ld.kpack");
}

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_DAMAGED_H
