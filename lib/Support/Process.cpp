//===- Process.cpp - start of a child process, and wait -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are started by posix_spawn(): it is fast for large processes, runs
// no fork handlers, and libraries that interpose libc do not see its calls in
// the child. It cannot tie a child's life to the parent's; fork() is used for
// that case only.
//
//===----------------------------------------------------------------------===//
#include "Support/Process.h"

#include "Support/SignalMask.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

using namespace kpack;

/// The C library's clone() by its other name. ThreadSanitizer treats clone() as
/// fork(), which copies memory.
extern "C" int plainClone(int (*Run)(void *), void *Stack, int Flags,
                          void *Given, ...) noexcept __asm__("__clone");

static std::vector<char *> pointersTo(const std::vector<std::string> &Texts) {
  std::vector<char *> Pointers;
  for (const std::string &Text : Texts)
    Pointers.push_back(const_cast<char *>(Text.c_str()));
  Pointers.push_back(nullptr);
  return Pointers;
}

UniqueFd kpack::aboveStandard(UniqueFd File) {
  if (!File || File.get() > STDERR_FILENO)
    return File;
  return UniqueFd(::fcntl(File.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

namespace {

/// All data for the child, which must not allocate.
struct Start {
  explicit Start(const ProcessOptions &Options)
      : Options(Options), Argv(pointersTo(Options.Arguments)) {
    if (Options.Environment)
      Envp = pointersTo(*Options.Environment);
    File = Options.File.empty() ? Argv[0] : Options.File.c_str();
    // Move a standard stream away before another one replaces it.
    int Streams[3] = {Options.Input, Options.Output, Options.Error};
    for (int I : {0, 1, 2}) {
      From[I] = Streams[I];
      if (From[I] < 0 || From[I] > STDERR_FILENO || From[I] == I)
        continue;
      Moved[I] = UniqueFd(::fcntl(From[I], F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
      From[I] = Moved[I].get();
      Problem = Moved[I] ? Problem : errno;
    }
  }
  char **environment() { return Envp.empty() ? environ : Envp.data(); }

  int spawn(pid_t &Pid);
  int fork(pid_t &Pid);
  int spawnOrphan();
  [[noreturn]] void become(pid_t Parent, int Report);

  const ProcessOptions &Options;
  std::vector<char *> Argv, Envp;
  const char *File;
  int From[3];
  UniqueFd Moved[3];
  int Problem = 0; ///< errno if a stream cannot be moved
};

/// Arguments of posix_spawn, freed at the end.
struct SpawnSettings {
  SpawnSettings() {
    posix_spawn_file_actions_init(&Actions);
    posix_spawnattr_init(&Attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&Actions);
    posix_spawnattr_destroy(&Attributes);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  SpawnSettings &operator=(const SpawnSettings &) = delete;

  posix_spawn_file_actions_t Actions;
  posix_spawnattr_t Attributes;
};

} // namespace

int Start::spawn(pid_t &Pid) {
  SpawnSettings Settings;
  // Duplicating a stream onto itself keeps it open.
  for (int I : {0, 1, 2})
    if (From[I] >= 0)
      posix_spawn_file_actions_adddup2(&Settings.Actions, From[I], I);
  if (Options.Kept >= 0)
    posix_spawn_file_actions_adddup2(&Settings.Actions, Options.Kept,
                                     Options.Kept);
  if (!Options.Directory.empty())
    posix_spawn_file_actions_addchdir_np(&Settings.Actions,
                                         Options.Directory.c_str());
  sigset_t Defaults = signalSet(Options.Defaults);
  posix_spawnattr_setsigdefault(&Settings.Attributes, &Defaults);
  if (Options.Mask)
    posix_spawnattr_setsigmask(&Settings.Attributes, &*Options.Mask);
  posix_spawnattr_setflags(
      &Settings.Attributes,
      short(POSIX_SPAWN_SETSIGDEF |
            (Options.Mask ? POSIX_SPAWN_SETSIGMASK : 0) |
            (Options.HasGroup ? POSIX_SPAWN_SETPGROUP : 0)));
  auto *Spawn = Options.IsSearched ? &::posix_spawnp : &::posix_spawn;
  return Spawn(&Pid, File, &Settings.Actions, &Settings.Attributes, Argv.data(),
               environment());
}

/// Runs in the child. Writes an errno to \p Report, or closes it on success.
void Start::become(pid_t Parent, int Report) {
  if (Options.HasGroup)
    ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, Options.DeathSignal);
  bool Ready = ::getppid() == Parent; // the parent may have died earlier
  for (int I : {0, 1, 2})
    if (From[I] >= 0)
      Ready = Ready &&
              (From[I] == I ? ::fcntl(I, F_SETFD, 0) : ::dup2(From[I], I)) >= 0;
  if (Options.Kept >= 0)
    ::fcntl(Options.Kept, F_SETFD, 0);
  if (!Options.Directory.empty())
    Ready = Ready && ::chdir(Options.Directory.c_str()) == 0;
  for (int Signal : Options.Defaults)
    ::signal(Signal, SIG_DFL);
  if (Options.Mask)
    ::sigprocmask(SIG_SETMASK, &*Options.Mask, nullptr);
  if (Ready && Options.IsSearched)
    ::execvpe(File, Argv.data(), environment());
  else if (Ready)
    ::execve(File, Argv.data(), environment());
  int Error = errno;
  (void)!::write(Report, &Error, sizeof(Error));
  ::_exit(127);
}

/// Starts the program through an intermediate process, which ends at once. That
/// process has no exit signal, so the program around us gets no SIGCHLD and no
/// wait for any child finds it. It shares our memory like the child of
/// posix_spawn().
int Start::spawnOrphan() {
  struct Between {
    Start &How;
    int Error;
  } State{*this, EAGAIN};
  constexpr size_t StackSize = 256 << 10;
  std::vector<char> Stack(StackSize);
  auto Run = [](void *Given) {
    auto *State = static_cast<Between *>(Given);
    pid_t Pid = -1;
    State->Error = State->How.spawn(Pid);
    return 0;
  };
  sigset_t All;
  ::sigfillset(&All);
  SignalMask Quiet(All); // a handler would run in both processes
  char *Top = Stack.data() + StackSize - 64;
  Top -= reinterpret_cast<uintptr_t>(Top) % 16;
  pid_t Pid = plainClone(Run, Top, CLONE_VM | CLONE_VFORK, &State);
  if (Pid < 0)
    return errno;
  while (::waitpid(Pid, nullptr, __WCLONE) < 0 && errno == EINTR)
    ;
  return State.Error;
}

int Start::fork(pid_t &Pid) {
  int Ends[2];
  if (::pipe2(Ends, O_CLOEXEC) != 0)
    return errno;
  // Use no number that the child's streams get.
  UniqueFd Report(Ends[0]), ReportWrite = aboveStandard(UniqueFd(Ends[1]));
  if (!ReportWrite)
    return errno;
  pid_t Parent = ::getpid();
  Pid = ::fork();
  if (Pid < 0)
    return errno;
  if (Pid == 0)
    become(Parent, ReportWrite.get());
  ReportWrite = UniqueFd();
  int Error = 0;
  ssize_t Size;
  while ((Size = ::read(Report.get(), &Error, sizeof(Error))) < 0 &&
         errno == EINTR)
    ;
  if (Size != ssize_t(sizeof(Error)))
    return 0;
  while (::waitpid(Pid, nullptr, 0) < 0 && errno == EINTR)
    ;
  return Error;
}

Process Process::start(const ProcessOptions &Options) {
  Process Started;
  Start Child(Options);
  pid_t Pid = -1;
  int Error = Child.Problem;
  if (!Error)
    Error = Options.DeathSignal ? Child.fork(Pid) : Child.spawn(Pid);
  if (Error) {
    errno = Error;
    return Started;
  }
  Started.Pid = Pid;
  Started.HasGroup = Options.HasGroup;
  if (!Options.HasGroup)
    Started.Handle = openProcess(Pid);
  return Started;
}

bool kpack::startOrphan(const ProcessOptions &Options) {
  Start Child(Options);
  errno = Child.Problem ? Child.Problem : Child.spawnOrphan();
  return errno == 0;
}

UniqueFd kpack::openProcess(pid_t Pid) {
#ifdef SYS_pidfd_open
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, Pid, 0)));
#else
  return UniqueFd();
#endif
}

static double seconds(const timeval &Time) {
  return double(Time.tv_sec) + double(Time.tv_usec) / 1e6;
}

static pid_t take(pid_t Which, int Flags, ProcessEnd &End) {
  int Status = 0;
  struct rusage Used = {};
  pid_t Pid;
  while ((Pid = ::wait4(Which, &Status, Flags, &Used)) < 0 && errno == EINTR)
    ;
  if (Pid <= 0)
    return Pid;
  End.Signal = WIFSIGNALED(Status) ? WTERMSIG(Status) : 0;
  End.Code = End.Signal ? 128 + End.Signal : WEXITSTATUS(Status);
  End.CpuSeconds = seconds(Used.ru_utime) + seconds(Used.ru_stime);
  return Pid;
}

pid_t kpack::takeEnd(pid_t Which, ProcessEnd &End) {
  return take(Which, WNOHANG, End);
}

std::optional<ProcessEnd> Process::wait(int Milliseconds) {
  using namespace std::chrono;
  constexpr int Pause = 5; // for polling without a pidfd
  auto Deadline = steady_clock::now() + milliseconds(Milliseconds);
  ProcessEnd End{-1, 0, 0};
  while (Pid > 0 && take(Pid, Milliseconds < 0 ? 0 : WNOHANG, End) == 0) {
    auto Left =
        duration_cast<milliseconds>(Deadline - steady_clock::now()).count();
    if (Left <= 0)
      return std::nullopt;
    pollfd Event = {Handle.get(), POLLIN, 0};
    ::poll(&Event, 1, int(Handle ? Left : std::min<long>(Left, Pause)));
  }
  Pid = -1;
  return End;
}

void Process::kill(int Signal) const {
  if (Pid <= 0)
    return;
  if (HasGroup)
    ::kill(-Pid, Signal);
#ifdef SYS_pidfd_send_signal
  else if (Handle)
    ::syscall(SYS_pidfd_send_signal, Handle.get(), Signal, nullptr, 0u);
#endif
  else
    ::kill(Pid, Signal); // not waited for yet, so the number is not reused
}

void kpack::becomeProgram(const std::vector<std::string> &Arguments) {
  ::execv(Arguments[0].c_str(), pointersTo(Arguments).data());
}
