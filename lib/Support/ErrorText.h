//===- Support/ErrorText.h - what an errno means to a user ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The system's words and what can be done, where that does not depend on what
// was tried: a full disk, a limit of the process.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_ERRORTEXT_H
#define KPACK_SUPPORT_ERRORTEXT_H

#include <cerrno>
#include <cstring>
#include <string>

namespace kpack {

/// "<words>; <how to fix>". \p Fix is for all errors that are not known here;
/// empty: nothing is known to help.
inline std::string errorText(int Error, std::string Fix = "") {
  if (Error == ENOSPC || Error == EDQUOT)
    Fix = "free space there or name another place";
  else if (Error == EROFS)
    Fix = "name a place that can be written";
  else if (Error == ESTALE)
    Fix = "it was removed or replaced; start the program again";
  else if (Error == EFBIG)
    Fix = "allow larger files (ulimit -f)";
  else if (Error == EMFILE || Error == ENFILE)
    Fix = "allow more open files (ulimit -n)";
  else if (Error == EAGAIN || Error == ENOMEM)
    Fix = "there is too little memory, or too many processes (ulimit -u)";
  return std::strerror(Error) + (Fix.empty() ? "" : "; " + Fix);
}

} // namespace kpack

#endif // KPACK_SUPPORT_ERRORTEXT_H
