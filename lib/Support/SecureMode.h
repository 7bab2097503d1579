//===- Support/SecureMode.h - detection of set-id programs ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program with more rights than its user (setuid, file capabilities) ignores
// kpack's environment variables (secure_getenv), so its messages do not mention
// them. See SECURITY.md, "Programs with more rights than their user".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_SECUREMODE_H
#define KPACK_SUPPORT_SECUREMODE_H

#include <cstdlib>
#include <string>
#include <sys/auxv.h>

namespace kpack {

inline bool isSecureMode() { return ::getauxval(AT_SECURE) != 0; }

/// Returns \p Advice, which names a variable, or \p Otherwise in a program that
/// ignores variables.
inline std::string makeAdvice(const char *Advice, const char *Otherwise = "") {
  return isSecureMode() ? Otherwise : Advice;
}

/// PATH in programs with more rights than their user.
#define KPACK_SECURE_PATH "/usr/local/bin:/usr/bin:/bin"

/// The PATH in which programs started by this one search for others.
inline std::string searchPathOfHelpers() {
  if (isSecureMode())
    return KPACK_SECURE_PATH;
  const char *Value = std::getenv("PATH");
  return Value ? Value : "";
}

} // namespace kpack

#endif // KPACK_SUPPORT_SECUREMODE_H
