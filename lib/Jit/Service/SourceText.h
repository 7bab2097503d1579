//===- Jit/Service/SourceText.h - a source that is no file ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilers read files, so a text is written to a folder before it is compiled,
// with its headers beside it, and compiled from there by relative names: where
// that folder is shows in no message and in no product. The file's own name is
// always the same; messages have the name that the author gave (#line).
//
// Who makes such texts: SourceUnit.h. What they are keyed by: SourceCache.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_SOURCETEXT_H
#define KPACK_JIT_SERVICE_SOURCETEXT_H

#include "Jit/Service/Compile.h"

namespace kpack::jit {

/// Whether \p Request, which has a text, can be written down: its name is one
/// line without quotes, its headers have relative names, none twice.
/// Errors: InvalidArgument, with the name.
Status checkText(const CompileRequest &Request);

/// What the compiler reads: all parts, and #line directives.
std::string wholeText(const CompileRequest &Request);

/// The files that \p Request is compiled from, named from a folder of its own;
/// the source first. Request has a text.
std::vector<MemoryFile> filesOfText(const CompileRequest &Request);

/// \p Request as one of files, which filesOfText() were written to \p Folder.
CompileRequest placedIn(const CompileRequest &Request,
                        const std::string &Folder);

/// Whether the text and its headers, with the request's flags, certainly read
/// nothing else: no other file, no date, no variable. Errs on the side of no.
bool isSelfContained(const CompileRequest &Request);

/// Whether the author's name for the source may be in the product.
bool mayShowItsName(const CompileRequest &Request);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_SOURCETEXT_H
