//===- Compression.cpp - parser of compression options --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Outputs/Compression.h.
//
//===----------------------------------------------------------------------===//
#include "Outputs/Compression.h"

#include "ToolSupport/Errors.h"

using namespace llvm;

namespace kpack {

Error parseCompression(StringRef Spelling, StringRef Value,
                       ArchiveWriterOptions &Options) {
  StringRef Rest = Value;
  if (Value == "none") {
    Options.Scheme = CompressionScheme::None;
    return Error::success();
  }
  Options.Scheme = CompressionScheme::ZstdPerKernel;
  if (Value == "zstd")
    return Error::success();
  int Level;
  if (!Rest.consume_front("zstd:") || Rest.getAsInteger(10, Level) ||
      Level < 1 || Level > 22)
    return objectError(Spelling, "'" + Value +
                                     "' is no compression; use zstd, zstd:1 to "
                                     "zstd:22, or none");
  Options.Level = Level;
  return Error::success();
}

Error parseThreads(StringRef Spelling, StringRef Value,
                   ArchiveWriterOptions &Options) {
  if (!Value.getAsInteger(10, Options.Threads) && Options.Threads >= 1 &&
      Options.Threads <= 1024)
    return Error::success();
  return objectError(Spelling,
                     "'" + Value + "' is no number of threads; use 1 to 1024");
}

} // namespace kpack
