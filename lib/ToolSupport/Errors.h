//===- ToolSupport/Errors.h - llvm::Error in kpack's form -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes errors of the form "<object>: <what>; <how to fix>", and converts
// kpack::Status, whose messages have that form, for code with LLVM.
// Header-only, so that plugins need no library for it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_ERRORS_H
#define KPACK_TOOLSUPPORT_ERRORS_H

#include "kpack/Support/Status.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace kpack {

/// Returns an error about \p Object, usually a file name.
inline llvm::Error objectError(llvm::StringRef Object,
                               const llvm::Twine &Problem) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 Object + ": " + Problem);
}

/// Prepends \p Object to an error without an object.
inline llvm::Error objectError(llvm::StringRef Object, llvm::Error Cause) {
  return objectError(Object, llvm::toString(std::move(Cause)));
}

/// Converts a Status of code without LLVM.
inline llvm::Error toError(const Status &S) {
  if (S.ok())
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(), S.message());
}

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_ERRORS_H
