//===- Outputs/Compression.h - as users spell it ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value of --kpack-compression= and --compression=: one spelling for all
// commands that write archives.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_COMPRESSION_H
#define KPACK_OUTPUTS_COMPRESSION_H

#include "kpack/Archive/ArchiveWriter.h"
#include "llvm/Support/Error.h"

namespace kpack {

/// Sets scheme and level of \p Options to what \p Value asks for: "zstd",
/// "zstd:1" to "zstd:22", or "none". The error names \p Spelling, the option.
llvm::Error parseCompression(llvm::StringRef Spelling, llvm::StringRef Value,
                             ArchiveWriterOptions &Options);

/// Sets the number of threads, 1 to 1024, in the same way.
llvm::Error parseThreads(llvm::StringRef Spelling, llvm::StringRef Value,
                         ArchiveWriterOptions &Options);

} // namespace kpack

#endif // KPACK_OUTPUTS_COMPRESSION_H
