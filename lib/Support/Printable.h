//===- Support/Printable.h - foreign texts on terminals ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of files, sections, symbols and kernels come out of files that anybody
// may have made. Printed as they are, they could move the cursor, change the
// order in which the line is shown, or hide a part of it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_PRINTABLE_H
#define KPACK_SUPPORT_PRINTABLE_H

#include <string>
#include <string_view>

namespace kpack {

/// \p Text with the bytes of control characters, of characters that are not
/// shown or change the direction of others (Unicode's Cf, Zl and Zp), and of
/// what is not UTF-8 as "\x1b".
std::string printable(std::string_view Text);

/// The same, but for ends of lines.
std::string printableLines(std::string_view Text);

} // namespace kpack

#endif // KPACK_SUPPORT_PRINTABLE_H
