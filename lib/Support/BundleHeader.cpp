//===- BundleHeader.cpp - header of an offload bundle ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BundleHeader.h. All numbers are little-endian, and an id follows its
// length.
//
//===----------------------------------------------------------------------===//
#include "Support/BundleHeader.h"

#include "kpack/Support/LittleEndian.h"

using namespace kpack;

std::string kpack::deviceEntryId(const std::string &Target) {
  return "hipv4-amdgcn-amd-amdhsa--" + Target;
}

std::string kpack::bundleHeader(const std::vector<BundleEntry> &Entries) {
  std::string Out = "__CLANG_OFFLOAD_BUNDLE__";
  appendLittleEndian(Out, Entries.size());
  for (const BundleEntry &E : Entries) {
    appendLittleEndian(Out, E.Offset);
    appendLittleEndian(Out, E.Size);
    appendLittleEndian(Out, E.Id.size());
    Out += E.Id;
  }
  return Out;
}
