//===- FolderLock.cpp - exclusive lock on a folder ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polls for the lock, since flock() has no timeout.
//
//===----------------------------------------------------------------------===//
#include "Support/FolderLock.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>

using namespace kpack;
using Clock = std::chrono::steady_clock;

FolderLock::FolderLock(const std::string &Path, double MaxSeconds) {
  std::string Name = Path.substr(0, Path.rfind('/') + 1); // npos + 1 is 0
  UniqueFd File(::open(Name.empty() ? "." : Name.c_str(),
                       O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  auto End = Clock::now() + std::chrono::duration<double>(MaxSeconds);
  auto Pause = std::chrono::milliseconds(1);
  while (File) {
    if (::flock(File.get(), LOCK_EX | LOCK_NB) == 0) {
      Folder = std::move(File);
      return;
    }
    if ((errno != EWOULDBLOCK && errno != EINTR) || Clock::now() >= End)
      return;
    std::this_thread::sleep_for(Pause);
    Pause = std::min(Pause * 2, std::chrono::milliseconds(20));
  }
}
