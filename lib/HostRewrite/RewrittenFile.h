//===- RewrittenFile.h - output of a conversion or its inverse --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file made from another one in order to replace it: it has the other's
// attributes, and is verified before it gets its name. Used by Convert.cpp,
// Unpack.cpp and MarkerReference.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_REWRITTENFILE_H
#define KPACK_LIB_HOSTREWRITE_REWRITTENFILE_H

#include "Outputs/PendingFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace kpack::hostrewrite {

/// Calls \p Write to write \p Output's temporary file, and copies the
/// attributes of the file open as \p Input. Returns the number of bytes.
llvm::Expected<uint64_t>
writeLike(int Input, PendingFile &Output,
          llvm::function_ref<llvm::Error(llvm::raw_pwrite_stream &)> Write);

/// Renames \p Output, to which no other file belongs.
llvm::Error commitAlone(PendingFile &Output);

/// Returns the problems that `kpack verify` would find (HostCheck.h) in
/// \p After, which messages call \p Name and whose wrappers all have \p Magic.
std::vector<std::string> outputProblems(llvm::StringRef After,
                                        llvm::StringRef Name, uint32_t Magic);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_REWRITTENFILE_H
