//===- CacheMode.h - who may read a cache that is filled --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user's cache is the user's alone. One that is filled for others, as in an
// image, must be readable for them: what tools make of that, before they fill
// it. docs/howto/prebuild-kernels.md.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_RUNTIME_CACHEMODE_H
#define KPACK_CKJIT_RUNTIME_CACHEMODE_H

#include "CkJit/Runtime/Settings.h"

namespace kpack::ckjit {

/// Makes the cache in \p Directory, or gives it another mode, where it is one
/// for others: with \p Mode (octal; empty: not said), or because it is one of
/// CK_JIT_SYSTEM_CACHE, or root's and named (\p IsNamed) rather than the
/// default. Without \p Mode a cache that is there stays as it is, a new one in
/// a folder that is there gets the folder's mode, and a new one 0755. Errors:
/// InvalidArgument for a mode that is none; those of Store.
Status makeReadable(const Settings &S, const std::string &Directory,
                    bool IsNamed, const std::string &Mode);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_RUNTIME_CACHEMODE_H
