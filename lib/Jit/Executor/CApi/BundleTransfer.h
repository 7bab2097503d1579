//===- Jit/Executor/CApi/BundleTransfer.h - a cache to a file ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache's entries to a bundle and back (docs/format/jit-cache.md, "Bundles"),
// by the helper kpack-jit-remote, for processes that have no library for it.
// How entries and bundles are read and written: Jit/Bundle/Bundle.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CAPI_BUNDLETRANSFER_H
#define KPACK_JIT_EXECUTOR_CAPI_BUNDLETRANSFER_H

#include "kpack/Support/Status.h"

namespace kpack::jit {

enum class BundleWay { Export, Import };

/// The number of entries that were written. \p Helper is the path of
/// kpack-jit-remote, \p Directory that of the cache; empty: there is none.
/// Errors: those of the helper; InvalidArgument, no cache; FileNotFound, no
/// helper.
Result<uint64_t> transferBundle(const std::string &Helper,
                                const std::string &Directory, BundleWay Way,
                                const std::string &Path);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CAPI_BUNDLETRANSFER_H
