//===- BundleTransfer.h - cache export and import by a helper ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exports the entries of a cache to a bundle and imports them
// (docs/format/jit-cache.md, "Bundles") with the helper kpack-jit-remote, since
// most processes lack the library for that. Jit/Bundle/Bundle.h reads and
// writes entries and bundles.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CAPI_BUNDLETRANSFER_H
#define KPACK_JIT_EXECUTOR_CAPI_BUNDLETRANSFER_H

#include "kpack/Support/Status.h"

namespace kpack::jit {

enum class BundleWay { Export, Import };

/// Returns the number of entries written. \p Helper is the path of
/// kpack-jit-remote, \p Directory that of the cache, or empty. Errors: those of
/// the helper; InvalidArgument without a cache; FileNotFound without a helper.
Result<uint64_t> transferBundle(const std::string &Helper,
                                const std::string &Directory, BundleWay Way,
                                const std::string &Path);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CAPI_BUNDLETRANSFER_H
