//===- ConvBuilder/CkInstance.h - CK's names of kernels ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What CK's builder calls a kernel, the text of GetInstanceString() with all
// parameters of its template, as a signature and an algorithm:
//
//   DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<2,NHWGC,GKYXC,EmptyTuple,...>
//
// Read only: our kernels have names of their own. Siblings: CkShapes.h, which
// reads CK's descriptors; docs/reference/conv-import.md has what is read.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CKINSTANCE_H
#define KPACK_CONVBUILDER_CKINSTANCE_H

#include "kpack/ConvBuilder/Algorithm.h"
#include "kpack/ConvBuilder/Signature.h"
#include "kpack/Support/Status.h"

#include <string>
#include <string_view>

namespace kpack::conv {

/// What the text says; what it does not say is open.
struct CkInstance {
  std::string Template; ///< "DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle"
  Signature Sig;
  Algorithm How;
};

/// Whether \p Text begins as one.
bool isCkInstance(std::string_view Text);

/// Errors: InvalidFormat, "instance: at OFFSET: ...", a template that is not
/// known, a parameter that is none of its kind, too few or too many of them,
/// tiles that waves do not divide. Safe from any thread.
Result<CkInstance> parseCkInstance(std::string_view Text);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CKINSTANCE_H
