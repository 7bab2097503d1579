//===- MemoryFile.cpp - files without a name ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file is asked for without the permission to be run, because a system may
// refuse files in memory that could be. Kernels before Linux 6.3 do not know
// that flag and answer EINVAL; then it is asked for without the flag.
//
//===----------------------------------------------------------------------===//
#include "Support/MemoryFile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>

using namespace kpack;

#ifndef MFD_NOEXEC_SEAL // of Linux 6.3, not in every C library's header
#define MFD_NOEXEC_SEAL 0x0008U
#endif

UniqueFd kpack::memoryFile(const std::string &Name) {
  constexpr size_t MaxName = 200; // the kernel takes 249 bytes
  std::string Shown = Name.substr(0, MaxName);
  // Code is mapped from it, never run as a program: it needs no permission for
  // that, which a system may refuse (vm.memfd_noexec).
  int File = ::memfd_create(Shown.c_str(),
                            MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  if (File < 0 && errno == EINVAL)
    File = ::memfd_create(Shown.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return UniqueFd(File);
}

void kpack::sealFile(int File) {
  ::fcntl(File, F_ADD_SEALS,
          F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
}
