//===- Support/ErrorText.h - errno as a message with advice -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The system's text with advice, for errors whose remedy is independent of the
// operation: a full disk, a limit of the process.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_ERRORTEXT_H
#define KPACK_SUPPORT_ERRORTEXT_H

#include <cerrno>
#include <cstring>
#include <string>

namespace kpack {

/// Returns "<text>; <how to fix>". \p Fix is the advice for other errors; if it
/// is empty, they get none.
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
