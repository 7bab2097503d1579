//===- Jit/Service/RemoteTrust.h - who may answer for a server --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a remote cache sends is run. Without a key that signs entries, everybody
// on the way to a server that is spoken to in plain text may send something
// else: only this machine is near enough for that.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_REMOTETRUST_H
#define KPACK_JIT_SERVICE_REMOTETRUST_H

#include <string>

struct sockaddr;

namespace kpack::jit {

/// Whether \p Url is spoken in plain text over TCP: http and redis. Not https,
/// which checks who answers, and not a socket of this machine.
bool isPlainText(const std::string &Url);

/// Whether \p Url names this machine: localhost, 127.x.x.x, [::1].
bool namesLoopback(const std::string &Url);

/// Whether \p Address is one of this machine alone.
bool isLoopback(const sockaddr *Address);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_REMOTETRUST_H
