//===- Jit/Service/CompileKey.h - cache keys of a compile -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compile looks for at most four entries in the store, in this order; each
// key holds the content of the files that the entries before it list:
//
//   tools    the list of programs that compile, and of files that the link
//            takes (FileSet); named by where they are searched
//   recipe   the list of headers; named by the source, those tools, and where
//            headers are searched
//   object   the code: the source, tools and headers by content, and no path
//   pch      precompiled headers that sources with equal includes share; tied
//            to paths and times, as the compiler compares these
//
// Fields and their order: docs/format/jit-cache.md, "Key of a source". A field
// that changes its meaning needs a new number in the name of its schema.
// Functions are safe from any thread but read the environment.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_COMPILEKEY_H
#define KPACK_JIT_SERVICE_COMPILEKEY_H

#include "Jit/Service/Compile.h"
#include "Jit/Store/FileSet.h"
#include "Jit/Store/Key.h"

namespace kpack::jit {

/// Returns true if flags of \p Request or CCC_OVERRIDE_OPTIONS make the
/// compiler detect the machine's processor. Response files may do so too: their
/// FileSet has the fact "native".
bool dependsOnMachine(const CompileRequest &Request);

KeyRecord toolsKey(const CompileRequest &Request);

/// \p Machine: digits for the machine's processor, used only if
/// dependsOnMachine().
KeyRecord recipeKey(const CompileRequest &Request, const Digest &Source,
                    const FileSet &Tools, const std::string &Machine);

KeyRecord objectKey(const CompileRequest &Request, const Digest &Source,
                    const FileSet &Tools, const FileSet &Headers);

/// \p Preamble: the start of the source up to its last include. \p WithKernels:
/// the headers hold instantiations of a sibling's kernels.
KeyRecord pchKey(const CompileRequest &Request, const FileSet &Tools,
                 const FileSet &Headers, const std::string &Preamble,
                 bool WithKernels);

/// The key of an entry that is compiled for one caller and never looked up: the
/// request alone, without its inputs.
KeyRecord requestKey(const CompileRequest &Request);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_COMPILEKEY_H
