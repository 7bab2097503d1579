//===- BufferLoans.cpp - buffers shared with other processes --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle of 16 bytes, which programs exchange by any means
// (hipIpcGetMemHandle), identifies a buffer. Its file has no name, but the
// owning process has a descriptor of it, and the kernel lets processes of the
// same user open that descriptor through /proc. So nothing has to be cleaned
// up, however processes end. A descriptor number can be reused for another
// file, hence the inode.
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
  int Fd = getDescriptor(Handle);
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
  // The number may stand for another file by now, such as a pipe whose open()
  // would block.
  UniqueFd File(::open(Path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  struct stat Status;
  if (!File || ::fstat(File.get(), &Status) != 0)
    return -errno;
  if (!S_ISREG(Status.st_mode) || uint32_t(Status.st_ino) != L.Inode)
    return -EINVAL;
  uint64_t Size = 0;
  return import(File.get(), Address, Handle, Size);
}
