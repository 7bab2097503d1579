//===- CacheMode.h - permissions of shared caches ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user's cache is private. A cache that is filled for other users, for
// example in an image, must be readable for them: tools set its mode before
// they fill it. docs/howto/prebuild-kernels.md.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_RUNTIME_CACHEMODE_H
#define KPACK_CKJIT_RUNTIME_CACHEMODE_H

#include "CkJit/Runtime/Settings.h"

namespace kpack::ckjit {

/// Creates the cache in \p Directory, or changes its mode, if it is for others:
/// with \p Mode (octal; may be empty), or because it is one of
/// CK_JIT_SYSTEM_CACHE, or root's and named (\p IsNamed) rather than the
/// default. Without \p Mode an existing cache is unchanged, a new one in an
/// existing directory gets the directory's mode, and any other new one 0755.
/// Errors: InvalidArgument for an invalid mode; those of Store.
Status makeReadable(const Settings &S, const std::string &Directory,
                    bool IsNamed, const std::string &Mode);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_RUNTIME_CACHEMODE_H
