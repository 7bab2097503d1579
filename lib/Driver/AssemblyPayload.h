//===- AssemblyPayload.h - device code in assembly text ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output of -S is text. The payload is appended as directives that make the
// section .kpack.devobj, so that assembling the text later gives the same kind
// of object as -c.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_ASSEMBLYPAYLOAD_H
#define KPACK_LIB_DRIVER_ASSEMBLYPAYLOAD_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kpack::driver {

/// Returns \p Text with the section appended. If \p IsIR, the text is LLVM IR
/// and gets module-level assembly.
std::string appendPayload(llvm::StringRef Text, llvm::StringRef Payload,
                          bool IsIR);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_ASSEMBLYPAYLOAD_H
