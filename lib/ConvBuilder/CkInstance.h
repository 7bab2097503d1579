//===- CkInstance.h - descriptors from CK's kernel names --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The name of a kernel in CK's builder, the text of GetInstanceString() with
// all template parameters, as a signature and an algorithm:
//
//   DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<2,NHWGC,GKYXC,EmptyTuple,...>
//
// Read only: our kernels have other names. Siblings: CkShapes.h, which reads
// CK's descriptors; docs/reference/conv-import.md lists the parameters that are
// read.
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

/// The values of the text; fields that the text lacks are open.
struct CkInstance {
  std::string Template; ///< "DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle"
  Signature Sig;
  Algorithm How;
};

/// True if \p Text begins like an instance.
bool isCkInstance(std::string_view Text);

/// Reads an instance. Errors: InvalidFormat, "instance: at OFFSET: ...", for an
/// unknown template, a parameter that is not of its kind, too few or too many
/// parameters, or tiles that waves do not divide. Safe from any thread.
Result<CkInstance> parseCkInstance(std::string_view Text);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CKINSTANCE_H
