//===- SealedFile.cpp - unnamed files in memory ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file is not executable, because a system may forbid executable files in
// memory (vm.memfd_noexec). Kernels before Linux 6.3 return EINVAL for that
// flag; then the call is repeated without it.
//
//===----------------------------------------------------------------------===//
#include "Support/SealedFile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>

using namespace kpack;

#ifndef MFD_NOEXEC_SEAL // from Linux 6.3, missing in some C libraries
#define MFD_NOEXEC_SEAL 0x0008U
#endif

UniqueFd kpack::memoryFile(const std::string &Name) {
  constexpr size_t MaxName = 200; // the kernel takes 249 bytes
  std::string Shown = Name.substr(0, MaxName);
  // Code is mapped from the file and not run as a program, which needs no
  // permission to execute.
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
