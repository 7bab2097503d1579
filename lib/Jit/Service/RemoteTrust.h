//===- RemoteTrust.h - rule for trusted remote servers ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code from a remote cache is executed. Without a key that signs entries, any
// machine on the way to a plain-text server may send other code, so only this
// machine is trusted then.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_REMOTETRUST_H
#define KPACK_JIT_SERVICE_REMOTETRUST_H

#include <string>

struct sockaddr;

namespace kpack::jit {

/// Returns true if \p Url means plain text over TCP: http and redis. False for
/// https, which authenticates the server, and for Unix sockets.
bool isPlainText(const std::string &Url);

/// Returns true if \p Url names this machine: localhost, 127.x.x.x, [::1].
bool namesLoopback(const std::string &Url);

/// Returns true for a loopback address.
bool isLoopback(const sockaddr *Address);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_REMOTETRUST_H
