//===- ToolSupport/Errors.h - llvm::Error in our words ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the LLVM side makes errors: "<object>: <what>; <how to fix>", and the
// bridge from kpack::Status of the parts below, whose messages have that form
// already. Header-only, so that plugins need no library for it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_ERRORS_H
#define KPACK_TOOLSUPPORT_ERRORS_H

#include "kpack/Support/Status.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace kpack {

/// An error about \p Object, usually a file name.
inline llvm::Error objectError(llvm::StringRef Object,
                               const llvm::Twine &What) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 Object + ": " + What);
}

/// Puts \p Object in front of an error that came without it.
inline llvm::Error objectError(llvm::StringRef Object, llvm::Error Cause) {
  return objectError(Object, llvm::toString(std::move(Cause)));
}

/// A Status of the parts without LLVM.
inline llvm::Error toError(const Status &S) {
  if (S.ok())
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(), S.message());
}

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_ERRORS_H
