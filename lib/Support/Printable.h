//===- Support/Printable.h - untrusted text on terminals --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of files, sections, symbols and kernels may come from hostile files.
// Printed verbatim, they could move the cursor, reorder the line, or hide a
// part of it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_PRINTABLE_H
#define KPACK_SUPPORT_PRINTABLE_H

#include <string>
#include <string_view>

namespace kpack {

/// Returns \p Text with these bytes escaped as "\x1b": control characters,
/// characters that are invisible or change the direction of others (Unicode's
/// Cf, Zl and Zp), and invalid UTF-8.
std::string printable(std::string_view Text);

/// Does the same, but keeps line ends.
std::string printableLines(std::string_view Text);

} // namespace kpack

#endif // KPACK_SUPPORT_PRINTABLE_H
