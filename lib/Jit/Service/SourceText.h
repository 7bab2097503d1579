//===- SourceText.h - source text that is compiled from memory --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilers read files, so a text is written to a folder with its headers and
// compiled there by relative names: neither messages nor products show that
// folder. The file's name is constant; messages have the author's name (#line).
//
// SourceUnit.h makes such texts; SourceCache.h makes their keys.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_SOURCETEXT_H
#define KPACK_JIT_SERVICE_SOURCETEXT_H

#include "Jit/Service/Compile.h"

namespace kpack::jit {

/// Checks that \p Request, which has a text, can be written: its name is one
/// line without quotes, and its headers have distinct relative names. Errors:
/// InvalidArgument with the name.
Status checkText(const CompileRequest &Request);

/// Returns the text for the compiler: all parts, and #line directives.
std::string wholeText(const CompileRequest &Request);

/// Returns the files of \p Request, which has a text, with names relative to a
/// separate folder; the source is first.
std::vector<MemoryFile> filesOfText(const CompileRequest &Request);

/// Returns \p Request for the files that filesOfText() lists, after they were
/// written to \p Folder.
CompileRequest placedIn(const CompileRequest &Request,
                        const std::string &Folder);

/// Returns true if the text and its headers, with the request's flags,
/// certainly read nothing else: no other file, date or variable. May return
/// false wrongly.
bool isSelfContained(const CompileRequest &Request);

/// Returns true if the product may contain the author's name for the source.
bool mayShowItsName(const CompileRequest &Request);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_SOURCETEXT_H
