//===- RemotePause.cpp - pause after a server's failure -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Within the process the steady clock measures the pause. The file is for other
// processes and holds the time of day, so it is checked: an end further away
// than the length of a pause comes from a wrong clock and would stop all
// processes indefinitely. A rename replaces the file, without a lock; if two
// processes fail at once, either reason will do.
//
// Only a regular file of this user is read, so a link or a FIFO in its place
// cannot lead elsewhere or block. The reason may contain text from a server, so
// it is cleaned both when written and when read.
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/RemotePause.h"

#include "Jit/Store/Store.h"
#include "Support/Files.h"
#include "Support/SafePath.h"

#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;
using Clock = std::chrono::steady_clock;

std::string jit::oneLine(std::string_view Text) {
  std::string Line(Text.substr(0, 400));
  for (char &C : Line)
    if (C < ' ' || C > '~') // bytes above 0x7f are negative or large
      C = C == '\n' ? ' ' : '?';
  return Line;
}

std::optional<std::string> RemotePause::reasonInFile() const {
  if (File.empty())
    return std::nullopt;
  UniqueFd In(
      ::open(File.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat Info;
  char Text[512] = "";
  if (!In || ::fstat(In.get(), &Info) != 0 || !S_ISREG(Info.st_mode) ||
      Info.st_uid != ::geteuid() ||
      ::read(In.get(), Text, sizeof(Text) - 1) <= 0)
    return std::nullopt;
  char *End = nullptr;
  long long Time = std::strtoll(Text, &End, 10);
  long long Now = ::time(nullptr);
  // A time from a wrong clock would pause indefinitely.
  if (*End != ' ' || Time <= Now ||
      Time - Now > static_cast<long long>(std::ceil(Seconds)) + 1)
    return std::nullopt;
  return oneLine(End + 1);
}

std::optional<std::string> RemotePause::reason() const {
  if (Clock::now() < Until)
    return Reason;
  return reasonInFile();
}

void RemotePause::begin(const std::string &Why) {
  Until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(Seconds));
  Reason = oneLine(Why);
  if (File.empty())
    return;
  std::string Temporary = File + "." + std::to_string(::getpid());
  std::string Text = std::to_string(::time(nullptr) + static_cast<long long>(
                                                          std::ceil(Seconds))) +
                     " " + Reason;
  UniqueFd Out = openFileToWrite(Temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (Out && (::write(Out.get(), Text.data(), Text.size()) !=
                  static_cast<ssize_t>(Text.size()) ||
              ::rename(Temporary.c_str(), File.c_str()) != 0))
    ::unlink(Temporary.c_str());
}

void RemotePause::end() {
  Until = {};
  if (!File.empty() && ::access(File.c_str(), F_OK) == 0)
    ::unlink(File.c_str());
}
