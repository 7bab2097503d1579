//===- RemoteSettings.h - the environment's remote cache --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the variables CK_JIT_REMOTE... say. See Settings.h for all others.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_RUNTIME_REMOTESETTINGS_H
#define KPACK_CKJIT_RUNTIME_REMOTESETTINGS_H

#include "Jit/Service/Remote.h"

namespace kpack::ckjit {

/// An empty Url: there is none. Warns of values that make no sense.
jit::RemoteOptions remoteFromEnvironment();

/// The remote tier of the cache in \p CacheDirectory; null where \p Options
/// name none. Errors: of RemoteTier::open().
Result<std::shared_ptr<jit::RemoteTier>>
openRemote(jit::RemoteOptions Options, const std::string &CacheDirectory);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_RUNTIME_REMOTESETTINGS_H
