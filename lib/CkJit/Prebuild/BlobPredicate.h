//===- BlobPredicate.h - which blobs, by what their names say ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of ComposableKernel's blobs say what is in them:
// fmha_fwd_d128_fp16_batch_..._nmask_gfx950. fieldsOf() takes them apart, a
// Predicate is what --where is given: dtype==fp16 && hdim<=128. The language is
// in docs/reference/ck-jit-prebuild.md.
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

/// What the name of a blob says.
Fields fieldsOf(llvm::StringRef Stem);

using Predicate = std::function<bool(const Fields &)>;

/// Errors: the text, and a caret below what is wrong with it.
llvm::Expected<Predicate> parsePredicate(llvm::StringRef Text);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_PREBUILD_BLOBPREDICATE_H
