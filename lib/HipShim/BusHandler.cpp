//===- BusHandler.cpp - SIGBUS handler for mapped archives ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handler allocates nothing and takes no lock: the fault may have come
// anywhere. SA_RESETHAND restores the default action before the handler runs,
// so that the access to which it returns ends the program.
//
//===----------------------------------------------------------------------===//
#include "BusHandler.h"

#include "Runtime/BinaryPath.h"
#include "kpack/Archive/Format.h"
#include "kpack/Support/UniqueFd.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::hipshim;

/// Room for a line of /proc/self/maps, whose name has at most PATH_MAX bytes.
/// The handler runs once.
static char MapsBuffer[16384];

static void put(std::string_view Text) {
  while (!Text.empty()) {
    ssize_t Written = ::write(STDERR_FILENO, Text.data(), Text.size());
    if (Written <= 0)
      return;
    Text.remove_prefix(static_cast<size_t>(Written));
  }
}

/// Writes a path in MapsBuffer, with control characters replaced.
static void putPath(std::string_view Path) {
  char *Begin = const_cast<char *>(Path.data());
  for (char *C = Begin; C != Begin + Path.size(); ++C)
    if (static_cast<unsigned char>(*C) < ' ' || *C == '\x7f')
      *C = '?';
  put(Path);
}

/// Returns the name of the file that is mapped at \p Address, in MapsBuffer and
/// followed by a newline; empty if there is none.
static std::string_view mappedFileAt(const void *Address) {
  UniqueFd Maps(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  std::optional<runtime::MapsLine> Line = runtime::findMapsLine(
      Maps.get(), Address, MapsBuffer, sizeof(MapsBuffer));
  return Line && Line->Name.substr(0, 1) == "/" ? Line->Name
                                                : std::string_view();
}

/// Recognises an archive by its name, or else by the part of its content that
/// is left. \p Path is in MapsBuffer; overwrites the newline after it.
static bool isArchive(std::string_view Path) {
  constexpr std::string_view Suffix = ".kpack";
  if (Path.size() > Suffix.size() &&
      Path.substr(Path.size() - Suffix.size()) == Suffix)
    return true;
  const_cast<char *>(Path.data())[Path.size()] = '\0';
  UniqueFd File(::open(Path.data(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char Magic[ArchiveMagic.size()] = {};
  return ::read(File.get(), Magic, sizeof(Magic)) == sizeof(Magic) &&
         std::string_view(Magic, sizeof(Magic)) == ArchiveMagic;
}

static void onBusError(int Signal, siginfo_t *Info, void *) {
  int Errno = errno;
  if (Info->si_code == BUS_ADRERR) {
    std::string_view Path = mappedFileAt(Info->si_addr);
    if (!Path.empty() && isArchive(Path)) {
      put("kpack_hip: error: ");
      putPath(Path);
      put(": the file has become shorter while it was in use; put new archives "
          "in place by renaming them, and start the program again\n");
    }
  }
  // A signal that was sent does not recur on return: send it again.
  if (Info->si_code <= 0)
    pthread_kill(pthread_self(), Signal);
  errno = Errno;
}

void kpack::hipshim::installBusHandler(const SignalFunctions &Next) {
  static std::atomic<bool> IsDone{false};
  struct sigaction Current = {};
  if (IsDone.exchange(true) || Next.Sigaction(SIGBUS, nullptr, &Current) != 0 ||
      Current.sa_handler != SIG_DFL)
    return;
  struct sigaction Ours = {};
  Ours.sa_sigaction = onBusError;
  Ours.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigemptyset(&Ours.sa_mask);
  Next.Sigaction(SIGBUS, &Ours, nullptr);
}
