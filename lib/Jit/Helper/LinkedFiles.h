//===- LinkedFiles.h - files that a link copies code from -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel contains code that its link copied from archives and objects, so
// they belong to its key as headers do. Only the linker knows which file
// "-lname" finds (search paths, linker scripts, built-in defaults). So we run
// it with the same flags and no objects, and it lists the files that it opens.
//
// Shared objects are left out: a link copies nothing from them, they are
// searched again when a kernel is loaded, and a compatible one may replace
// them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_LINKEDFILES_H
#define KPACK_LIB_JIT_HELPER_LINKEDFILES_H

#include "Jit/Service/CompilePlan.h"

namespace kpack::jit {

/// Links no objects, and writes a make rule to \p RuleFile.
Arguments linkedFilesCommand(const CompileRequest &Request,
                             const std::string &RuleFile,
                             const std::string &Output);

/// Returns the error for a linker without such rules: old GNU ones.
Status silentLinker(const CompileRequest &Request);

/// Returns the absolute paths of the files in \p Rule whose content a link
/// copies, each once; includes members of thin archives. Errors:
/// InvalidArgument if the linker did not list them; InvalidFormat for a damaged
/// thin archive.
Result<std::vector<std::string>> linkedFiles(const CompileRequest &Request,
                                             const std::string &Rule);

/// Returns the members' paths, as written, of a thin archive; none for another
/// file. Errors: InvalidFormat.
Result<std::vector<std::string>> thinMembers(std::string_view Archive);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_LINKEDFILES_H
