//===- RemoteSettings.h - settings of a remote cache ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the variables CK_JIT_REMOTE... See Settings.h for all others.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_RUNTIME_REMOTESETTINGS_H
#define KPACK_CKJIT_RUNTIME_REMOTESETTINGS_H

#include "Jit/Service/Remote.h"

namespace kpack::ckjit {

/// Returns an empty Url if none is set. Warns about invalid values.
jit::RemoteOptions remoteFromEnvironment();

/// Returns the remote tier of the cache in \p CacheDirectory; null if
/// \p Options name none. Errors: those of RemoteTier::open().
Result<std::shared_ptr<jit::RemoteTier>>
openRemote(jit::RemoteOptions Options, const std::string &CacheDirectory);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_RUNTIME_REMOTESETTINGS_H
