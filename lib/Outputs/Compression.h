//===- Outputs/Compression.h - parser of compression options ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the value of --kpack-compression= and --compression=, the same for all
// commands that write archives.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_COMPRESSION_H
#define KPACK_OUTPUTS_COMPRESSION_H

#include "kpack/Archive/ArchiveWriter.h"
#include "llvm/Support/Error.h"

namespace kpack {

/// Sets scheme and level of \p Options from \p Value: "zstd", "zstd:1" to
/// "zstd:22", or "none". Errors name the option \p Spelling.
llvm::Error parseCompression(llvm::StringRef Spelling, llvm::StringRef Value,
                             ArchiveWriterOptions &Options);

/// Sets the number of threads, 1 to 1024, in the same way.
llvm::Error parseThreads(llvm::StringRef Spelling, llvm::StringRef Value,
                         ArchiveWriterOptions &Options);

} // namespace kpack

#endif // KPACK_OUTPUTS_COMPRESSION_H
