//===- RewrittenFile.h - what both directions write -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file that is made of another one and takes its place: it has the other's
// attributes, and is verified before it gets its name. Users: Convert.cpp and
// Unpack.cpp.
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

/// Has \p Write write all of \p Output's temporary file, and gives it the
/// attributes of the file open as \p Input. The number of bytes that were
/// written.
llvm::Expected<uint64_t>
writeLike(int Input, PendingFile &Output,
          llvm::function_ref<llvm::Error(llvm::raw_pwrite_stream &)> Write);

/// Gives \p Output, to which nothing else belongs, its name.
llvm::Error commitAlone(PendingFile &Output);

/// The problems of \p After, which messages call \p Name and whose wrappers
/// all have \p Magic now: what `kpack verify` would find (HostCheck.h).
std::vector<std::string> outputProblems(llvm::StringRef After,
                                        llvm::StringRef Name, uint32_t Magic);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_REWRITTENFILE_H
