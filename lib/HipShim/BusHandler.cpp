//===- BusHandler.cpp - SIGBUS in an archive ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BusHandler.h. The handler allocates nothing and takes no lock: the fault
// may have come anywhere. It has the default action set back before it runs
// (SA_RESETHAND), so that the access that it returns to ends the program.
//
//===----------------------------------------------------------------------===//
#include "BusHandler.h"

#include "kpack/Archive/Format.h"
#include "kpack/Runtime/BinaryPath.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::hipshim;

/// A line of /proc/self/maps, whose name has at most PATH_MAX bytes, and more.
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

/// A path in MapsBuffer. Control characters stay out of the terminal.
static void putPath(std::string_view Path) {
  char *Begin = const_cast<char *>(Path.data());
  for (char *C = Begin; C != Begin + Path.size(); ++C)
    if (static_cast<unsigned char>(*C) < ' ' || *C == '\x7f')
      *C = '?';
  put(Path);
}

/// The name of the file that is mapped at \p Address, in \p Buffer, with a
/// newline behind it; empty if there is none.
static std::string_view mappedFileAt(uintptr_t Address, char *Buffer,
                                     size_t Size) {
  int Maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (Maps < 0)
    return {};
  std::string_view Name;
  size_t Filled = 0;
  while (Name.empty()) {
    ssize_t Got = ::read(Maps, Buffer + Filled, Size - Filled);
    if (Got <= 0)
      break;
    Filled += static_cast<size_t>(Got);
    std::string_view Rest(Buffer, Filled);
    for (size_t End; Name.empty() && (End = Rest.find('\n')) != Rest.npos;
         Rest.remove_prefix(End + 1)) {
      std::optional<runtime::MapsLine> Line =
          runtime::parseMapsLine(Rest.substr(0, End));
      if (Line && Address >= Line->Begin && Address < Line->End)
        Name = Line->Name;
    }
    if (Name.empty()) {
      Filled = Rest.size();
      std::memmove(Buffer, Rest.data(), Filled);
    }
  }
  ::close(Maps);
  return Name.substr(0, 1) == "/" ? Name : std::string_view();
}

/// By its name, or by what is left of it. \p Path is in MapsBuffer; the newline
/// behind it is overwritten.
static bool isArchive(std::string_view Path) {
  constexpr std::string_view Suffix = ".kpack";
  if (Path.size() > Suffix.size() &&
      Path.substr(Path.size() - Suffix.size()) == Suffix)
    return true;
  const_cast<char *>(Path.data())[Path.size()] = '\0';
  int File = ::open(Path.data(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  char Magic[ArchiveMagic.size()] = {};
  bool Is = File >= 0 && ::read(File, Magic, sizeof(Magic)) == sizeof(Magic) &&
            std::string_view(Magic, sizeof(Magic)) == ArchiveMagic;
  if (File >= 0)
    ::close(File);
  return Is;
}

static void onBusError(int Signal, siginfo_t *Info, void *) {
  int Errno = errno;
  if (Info->si_code == BUS_ADRERR) {
    std::string_view Path =
        mappedFileAt(reinterpret_cast<uintptr_t>(Info->si_addr), MapsBuffer,
                     sizeof(MapsBuffer));
    if (!Path.empty() && isArchive(Path)) {
      put("kpack_hip: error: ");
      putPath(Path);
      put(": the file has become shorter while it was in use; put new archives "
          "in place by renaming them, and start the program again\n");
    }
  }
  // What somebody sent does not come again by itself.
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
