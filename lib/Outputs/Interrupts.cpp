//===- Interrupts.cpp - cleanup on interrupts -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The link's thread changes the list of names with interrupts held, and only
// that thread reads it in the handler, so no lock is needed. The handler makes
// system calls only.
//
//===----------------------------------------------------------------------===//
#include "Outputs/Interrupts.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace kpack {

/// A handler has no context argument, hence these two.
static std::atomic<pid_t> LinkThread;
static TemporaryName *Names;

//===----------------------------------------------------------------------===//
// TemporaryName
//===----------------------------------------------------------------------===//

TemporaryName::TemporaryName(StringRef Path, Holds What, StringRef Removable)
    : Path(Path), Directory(sys::path::parent_path(Path)), Removable(Removable),
      Prefix(sys::path::filename(Path)), What(What) {
  if (Directory.empty())
    Directory = ".";
  if (this->Removable.empty())
    this->Removable = Directory;
  HeldInterrupts Held;
  // For LLVM's handlers, which clean up after crashes.
  sys::RemoveFileOnSignal(Path);
  Next = Names;
  Names = this;
}

TemporaryName::~TemporaryName() {
  HeldInterrupts Held;
  TemporaryName **Place = &Names;
  while (*Place != this)
    Place = &(*Place)->Next;
  *Place = Next;
  sys::DontRemoveFileOnSignal(Path);
}

static bool removeOnce(int File, StringRef Prefix, unsigned Levels);

/// Removes the directory \p Name in \p Parent and its content, down to
/// \p Levels levels. Returns true if it is gone.
static bool removeTree(int Parent, const char *Name, unsigned Levels) {
  if (Levels == 0 || !std::strcmp(Name, ".") || !std::strcmp(Name, ".."))
    return false;
  int File =
      openat(Parent, Name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (File < 0)
    return false;
  // Each of the other threads may be creating a file in it.
  constexpr int MaxTries = 100;
  bool IsGone = false;
  for (int Try = 0; Try != MaxTries && !IsGone; ++Try) {
    while (removeOnce(File, "", Levels - 1))
      ;
    IsGone = unlinkat(Parent, Name, AT_REMOVEDIR) == 0;
  }
  close(File);
  return IsGone;
}

/// Makes one pass over the directory \p File, and over matching directories in
/// it down to \p Levels levels. Returns true if it removed anything.
static bool removeOnce(int File, StringRef Prefix, unsigned Levels) {
  bool Removed = false;
  alignas(dirent64) char Buffer[4096];
  lseek(File, 0, SEEK_SET);
  for (ssize_t Size; (Size = getdents64(File, Buffer, sizeof(Buffer))) > 0;)
    for (ssize_t Offset = 0; Offset < Size;) {
      const auto *Entry = reinterpret_cast<const dirent64 *>(Buffer + Offset);
      if (std::strncmp(Entry->d_name, Prefix.data(), Prefix.size()) == 0)
        Removed |= unlinkat(File, Entry->d_name, 0) == 0 ||
                   removeTree(File, Entry->d_name, Levels);
      Offset += Entry->d_reclen;
    }
  return Removed;
}

void TemporaryName::removeFiles() const {
  // Works even if no descriptor is left to read the directory with.
  unlink(Path.c_str());
  int File = open(Directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (File < 0)
    return;
  // Some file systems skip entries when others are removed.
  constexpr unsigned MaxLevels = 256; // each takes stack and a descriptor
  while (removeOnce(File, Prefix, What == Holds::Trees ? MaxLevels : 0))
    ;
  close(File);
  if (What == Holds::DirectoryToo)
    rmdir(Removable.c_str()); // fails unless the directory is empty
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

static void removeAllFiles() {
  for (const TemporaryName *Name = Names; Name; Name = Name->next())
    Name->removeFiles();
  sys::RunInterruptHandlers(); // lld's files that we do not know
}

static void handleInterrupt(int Signal) {
  pid_t Thread = LinkThread;
  if (gettid() != Thread) {
    int Errno = errno;
    tgkill(getpid(), Thread, Signal);
    errno = Errno;
    return;
  }
  removeAllFiles();
  std::signal(Signal, SIG_DFL);
  raise(Signal); // waits until it is unblocked
  sigset_t Set;
  sigemptyset(&Set);
  sigaddset(&Set, Signal);
  pthread_sigmask(SIG_UNBLOCK, &Set, nullptr);
}

static void say(const char *Text) {
  if (write(STDERR_FILENO, Text, std::strlen(Text)) < 0)
    errno = 0;
}

/// Handles an access past the end of a mapped file; the instruction cannot be
/// resumed.
static void handleCutOff(int, siginfo_t *Info, void *) {
  if (Info->si_code != BUS_ADRERR && Info->si_code != SI_TKILL) {
    std::signal(SIGBUS, SIG_DFL); // an error of ours: the same once more
    return;
  }
  pid_t Thread = LinkThread;
  if (gettid() != Thread) {
    tgkill(getpid(), Thread, SIGBUS);
    for (;;)
      pause();
  }
  removeAllFiles();
  say(program_invocation_short_name);
  say(": error: a file that is read was cut off meanwhile, or its disk cannot "
      "be read; try it again when nobody writes to it\n");
  _exit(1);
}

CutOffHandler::CutOffHandler() {
  // LLVM sets its handlers with the first file; ours must follow.
  sys::RemoveFileOnSignal("");
  sys::DontRemoveFileOnSignal("");
  LinkThread = gettid();
  struct sigaction Action = {};
  Action.sa_sigaction = handleCutOff;
  Action.sa_mask = interruptSet();
  Action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &Action, &Before);
}

CutOffHandler::~CutOffHandler() { sigaction(SIGBUS, &Before, nullptr); }

InterruptHandler::InterruptHandler() {
  struct sigaction Action = {};
  Action.sa_handler = handleInterrupt;
  Action.sa_mask = interruptSet();
  // System calls in threads that only forward the signal are restarted.
  Action.sa_flags = SA_RESTART;
  for (size_t I = 0; I != std::size(InterruptSignals); ++I) {
    int Signal = InterruptSignals[I];
    sigaction(Signal, nullptr, &Before[I]);
    if (Signal != SIGPIPE || Before[I].sa_handler != SIG_IGN)
      sigaction(Signal, &Action, nullptr);
  }
}

InterruptHandler::~InterruptHandler() {
  for (size_t I = 0; I != std::size(InterruptSignals); ++I) {
    struct sigaction Present;
    sigaction(InterruptSignals[I], nullptr, &Present);
    if (Present.sa_handler == handleInterrupt)
      sigaction(InterruptSignals[I], &Before[I], nullptr);
  }
}

void ignoreInterrupts() {
  for (int Signal : InterruptSignals)
    if (Signal != SIGPIPE)
      std::signal(Signal, SIG_IGN); // discards pending ones too
}

} // namespace kpack
