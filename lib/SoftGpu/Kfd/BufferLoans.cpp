//===- BufferLoans.cpp - buffers that other processes use -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle of 16 bytes, which programs send one another in ways of their own
// (hipIpcGetMemHandle), names a buffer. Its file has no name, but its process
// has a descriptor of it, and the kernel lets others of the same user open that
// through /proc: nothing is left behind, however processes end. A descriptor's
// number can become another file's, hence the inode.
//
//===----------------------------------------------------------------------===//
#include "Buffers.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::softgpu;

int BufferTable::lend(uint64_t Handle, Loan &L) {
  int Fd = descriptorOf(Handle);
  struct stat Status;
  if (Fd < 0)
    return Fd;
  if (::fstat(Fd, &Status) != 0)
    return -errno;
  L.Process = uint32_t(::getpid());
  L.Descriptor = uint32_t(Fd);
  L.Inode = uint32_t(Status.st_ino);
  return 0;
}

int BufferTable::borrow(const Loan &L, uint64_t Address, uint64_t &Handle) {
  std::string Path = "/proc/" + std::to_string(L.Process) + "/fd/" +
                     std::to_string(L.Descriptor);
  // It may be another file by now, one that would wait for a reader.
  UniqueFd File(::open(Path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  struct stat Status;
  if (!File || ::fstat(File.get(), &Status) != 0)
    return -errno;
  if (!S_ISREG(Status.st_mode) || uint32_t(Status.st_ino) != L.Inode)
    return -EINVAL;
  uint64_t Size = 0;
  return import(File.get(), Address, Handle, Size);
}
