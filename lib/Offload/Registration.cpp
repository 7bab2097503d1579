//===- Registration.cpp - check of kernel registration --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Registration.h. Most files have neither name, or both.
//
//===----------------------------------------------------------------------===//
#include "Offload/Registration.h"

#include "ToolSupport/ElfFile.h"

using namespace llvm;

namespace kpack::offload {

bool launchesKernels(StringRef Linked) {
  return Linked.contains(StubFunction) && importsSymbol(Linked, StubFunction);
}

bool launchesUnregistered(StringRef Linked) {
  return !Linked.contains(RegisterFunction) && launchesKernels(Linked);
}

} // namespace kpack::offload
