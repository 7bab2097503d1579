//===- LinkedFiles.h - files that a link takes in ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel holds what its link has copied from archives and objects: they
// belong to its key as headers do. Which ones "-lname" finds only the linker
// knows for certain (search paths, linker scripts, its own defaults), so it is
// asked: it links nothing with the same flags and lists the files it opens.
//
// Shared objects stay out: nothing of them is copied, they are found anew when
// a kernel is loaded, and a compatible one may take their place.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_LINKEDFILES_H
#define KPACK_LIB_JIT_HELPER_LINKEDFILES_H

#include "Jit/Service/CompilePlan.h"

namespace kpack::jit {

/// Links no objects at all, and writes a make rule to \p RuleFile.
Arguments linkedFilesCommand(const CompileRequest &Request,
                             const std::string &RuleFile,
                             const std::string &Output);

/// The error for a linker that knows no such rules: old ones of GNU.
Status silentLinker(const CompileRequest &Request);

/// The files in \p Rule whose content a link copies, absolute, none twice;
/// members of thin archives, too. Errors: InvalidArgument, the linker has not
/// said which they are; InvalidFormat, a thin archive is damaged.
Result<std::vector<std::string>> linkedFiles(const CompileRequest &Request,
                                             const std::string &Rule);

/// The members' paths, as written, of an archive that only names its members;
/// none for another file. Errors: InvalidFormat.
Result<std::vector<std::string>> thinMembers(std::string_view Archive);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_LINKEDFILES_H
