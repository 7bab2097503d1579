//===- BlobPredicate.h - --where predicates on kernel names -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of ComposableKernel's blobs describe their kernels:
// fmha_fwd_d128_fp16_batch_..._nmask_gfx950. getFields() parses them, a
// Predicate is the argument of --where: dtype==fp16 && hdim<=128.
// docs/reference/ck-jit-prebuild.md has the language.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_PREBUILD_BLOBPREDICATE_H
#define KPACK_LIB_CKJIT_PREBUILD_BLOBPREDICATE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kpack::ckjit {

/// Values by field; a field may have several.
using Fields = std::map<std::string, std::vector<std::string>>;

/// Parses the name of a blob.
Fields getFields(llvm::StringRef Stem);

using Predicate = std::function<bool(const Fields &)>;

/// Errors show the text and a caret below the error.
llvm::Expected<Predicate> parsePredicate(llvm::StringRef Text);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_PREBUILD_BLOBPREDICATE_H
