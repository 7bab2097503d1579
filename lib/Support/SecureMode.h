//===- Support/SecureMode.h - more rights than the user ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program with more rights than who runs it (setuid, file capabilities) reads
// no environment variable of ours (secure_getenv), so its messages do not send
// anybody to one. SECURITY.md, "Programs with more rights than their user".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_SECUREMODE_H
#define KPACK_SUPPORT_SECUREMODE_H

#include <cstdlib>
#include <string>
#include <sys/auxv.h>

namespace kpack {

inline bool isSecureMode() { return ::getauxval(AT_SECURE) != 0; }

/// \p Advice, which names a variable; in a program that ignores it \p
/// Otherwise.
inline std::string adviceOf(const char *Advice, const char *Otherwise = "") {
  return isSecureMode() ? Otherwise : Advice;
}

/// PATH in programs with more rights than their user.
#define KPACK_SECURE_PATH "/usr/local/bin:/usr/bin:/bin"

/// Where programs that this one starts look for others.
inline std::string searchPathOfHelpers() {
  if (isSecureMode())
    return KPACK_SECURE_PATH;
  const char *Value = std::getenv("PATH");
  return Value ? Value : "";
}

} // namespace kpack

#endif // KPACK_SUPPORT_SECUREMODE_H
