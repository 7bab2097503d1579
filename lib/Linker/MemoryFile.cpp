//===- MemoryFile.cpp - in-memory file that lld opens by name -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The descriptor is deliberately not close-on-exec: in a child process
// /proc/self is the child, so the name works there only if the child inherits
// the descriptor. read() opens the name again and so starts at the beginning,
// wherever the last writer stopped. A long purpose keeps its end, the
// informative part of a path.
//
//===----------------------------------------------------------------------===//
#include "MemoryFile.h"

#include "Support/Files.h"
#include "ToolSupport/Errors.h"
#include "llvm/Support/Errno.h"

#include <sys/mman.h>
#include <sys/resource.h>

using namespace llvm;
using kpack::objectError;

namespace kpack::linker {

Expected<MemoryFile> MemoryFile::create(StringRef Purpose, StringRef Contents) {
  // Without MFD_CLOEXEC: device links run in child processes. The kernel takes
  // names of up to 249 bytes.
  MemoryFile File;
  File.Descriptor =
      UniqueFd(memfd_create(Purpose.take_back(200).str().c_str(), 0));
  if (!File.Descriptor)
    return objectError(Purpose,
                       "cannot make a file in memory: " + sys::StrError(errno) +
                           "; raise the limits of this process (ulimit)");
  if (!writeAll(File.Descriptor.get(), Contents))
    return objectError(
        Purpose, "cannot write a file in memory: " + sys::StrError(errno) +
                     "; free some memory or raise its limit (ulimit)");
  return File;
}

std::string MemoryFile::path() const {
  return MemoryFilePrefix.str() + std::to_string(Descriptor.get());
}

Expected<std::unique_ptr<MemoryBuffer>> MemoryFile::read() const {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(
      path(), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return objectError(path(),
                       "cannot be read: " + Buffer.getError().message() +
                           "; there may be too little memory");
  return std::move(*Buffer);
}

void raiseOpenFileLimit() {
  rlimit Limit;
  if (getrlimit(RLIMIT_NOFILE, &Limit) != 0)
    return;
  Limit.rlim_cur = Limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &Limit);
}

} // namespace kpack::linker
