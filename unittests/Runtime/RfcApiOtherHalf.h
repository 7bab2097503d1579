//===- RfcApiOtherHalf.h - calls into librocm_kpack.so ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RfcApiTest.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_RUNTIME_RFCAPIOTHERHALF_H
#define KPACK_UNITTESTS_RUNTIME_RFCAPIOTHERHALF_H

#include <string>

namespace kpack::testing {

/// A code object read with librocm_kpack.so, or "error <number>".
std::string readThroughSharedLibrary(const std::string &Path,
                                     const std::string &Binary,
                                     const std::string &Arch);

/// The same for wrapper \p Index of a binary with this marker.
std::string loadThroughSharedLibrary(const std::string &Marker, int Index,
                                     const std::string &Arch);

} // namespace kpack::testing

#endif // KPACK_UNITTESTS_RUNTIME_RFCAPIOTHERHALF_H
