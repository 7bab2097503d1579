//===- ReadFailure.h - parse errors of descriptors --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one form of errors from the readers of texts and of JSON.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_READFAILURE_H
#define KPACK_LIB_CONVBUILDER_READFAILURE_H

#include "kpack/ConvBuilder/Describe.h"

namespace kpack::conv {

/// "signature: at 15: 'inptu' is no field; did you mean input?"
template <Described T> Status failure(const TextError &Error) {
  return Status(StatusCode::InvalidFormat,
                std::string(ObjectName<T>) + ": at " +
                    std::to_string(Error.Offset) + ": " +
                    std::string(Error.Message.view()));
}

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_READFAILURE_H
