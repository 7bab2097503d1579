//===- RewrittenFile.cpp - output of a conversion or its inverse ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes come last: a write would change times and drop capabilities.
//
//===----------------------------------------------------------------------===//
#include "RewrittenFile.h"

#include "FileAttributes.h"
#include "HostRewrite/HostCheck.h"
#include "SparseFile.h"
#include "llvm/ADT/STLExtras.h"

#include <sys/stat.h>

using namespace llvm;

namespace kpack::hostrewrite {

/// Returns the number of bytes that \p Write wrote to \p OS.
static Expected<uint64_t>
writeSparse(raw_fd_ostream &OS,
            function_ref<Error(raw_pwrite_stream &)> Write) {
  SparseStream Sparse(OS);
  if (Error E = Write(Sparse))
    return std::move(E);
  Sparse.finish();
  return Sparse.tell();
}

static Expected<uint64_t>
writeWhole(raw_fd_ostream &OS, function_ref<Error(raw_pwrite_stream &)> Write) {
  if (Error E = Write(OS))
    return std::move(E);
  return OS.tell();
}

Expected<uint64_t> writeLike(int Input, PendingFile &Output,
                             function_ref<Error(raw_pwrite_stream &)> Write) {
  // Private until copyAttributes() sets the other permissions.
  if (Error E = Output.create(S_IRUSR | S_IWUSR))
    return std::move(E);
  raw_fd_ostream OS(Output.descriptor(), /*shouldClose=*/false);
  Expected<uint64_t> Size =
      isSparse(Input) ? writeSparse(OS, Write) : writeWhole(OS, Write);
  OS.flush();
  std::error_code EC = OS.error();
  OS.clear_error();
  if (!Size)
    return Size.takeError();
  if (EC)
    return fileError(Output.path(), "cannot write", EC);
  copyAttributes(Input, Output.descriptor());
  Output.keepOwnMode();
  return Size;
}

Error commitAlone(PendingFile &Output) {
  Replacements Old;
  if (Error E = Output.commit(Old))
    return E;
  Old.forget();
  return Error::success();
}

std::vector<std::string> outputProblems(StringRef After, StringRef Name,
                                        uint32_t Magic) {
  VerifiedHost Host = verifyHost(After, Name);
  for (const auto &[I, W] : enumerate(Host.Wrappers))
    if (W.Magic != Magic)
      return {(Name + ": wrapper " + Twine(I) + " is what it was").str()};
  return hostProblems(After, Name, std::move(Host));
}

} // namespace kpack::hostrewrite
