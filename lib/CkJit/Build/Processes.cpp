//===- Processes.cpp - programs that a build runs -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are no signal handlers and no threads here. Interrupts and SIGCHLD are
// blocked and taken with sigtimedwait(), which makes the end of a child, an
// interrupt and the passing of time one and the same wait. Programs start with
// the mask that was there before, so that they can be interrupted.
//
// A build's script often ends before what it has started. This process is
// therefore a subreaper for the time: orphans become its children, and stopping
// waits for them too. They get SIGTERM by process group, SIGKILL after five
// seconds, and after ten the wait is given up, because a server that the build
// has started (a compiler cache's, say) may have left its group and may stay.
//
//===----------------------------------------------------------------------===//
#include "Processes.h"
#include "kpack/Support/HeldInterrupts.h"
#include "kpack/ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

char InterruptError::ID = 0;

/// How long programs may take to end when they are told to.
static constexpr std::chrono::seconds Patience{5};

HeldSignals::HeldSignals() {
  Set = interruptSet();
  sigaddset(&Set, SIGCHLD);
  struct sigaction Default = {};
  Default.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &Default, nullptr);
  pthread_sigmask(SIG_BLOCK, &Set, &Before);
  // What loses its parent becomes our child: it can be waited for.
  prctl(PR_SET_CHILD_SUBREAPER, 1L);
}

HeldSignals::~HeldSignals() {
  prctl(PR_SET_CHILD_SUBREAPER, 0L);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void HeldSignals::wait(unsigned Milliseconds) {
  timespec Time = {time_t(Milliseconds / 1000),
                   long(Milliseconds % 1000) * 1000000};
  int Signal = sigtimedwait(&Set, nullptr, &Time);
  if (Signal > 0 && Signal != SIGCHLD)
    Caught = Signal;
}

Error HeldSignals::check() {
  wait(0);
  if (Caught)
    return make_error<InterruptError>(Caught);
  return Error::success();
}

namespace {
class Running {
public:
  Running(HeldSignals &Signals, ArrayRef<BuildCommand> Commands)
      : Signals(Signals), Commands(Commands), Children(Commands.size()),
        Codes(Commands.size(), -1) {}
  Expected<std::vector<int>> run(unsigned Parallel, function_ref<void()> Tick);

private:
  Error start(size_t Number);
  bool reap();
  void stopAll();
  bool anyFailed() const {
    return any_of(Codes, [](int Code) { return Code > 0; });
  }

  HeldSignals &Signals;
  ArrayRef<BuildCommand> Commands;
  std::vector<pid_t> Children; ///< 0: not running
  std::vector<pid_t> Groups;
  std::vector<int> Codes;
  size_t Started = 0, Alive = 0;
};
} // namespace

/// Our environment with \p Added, which win. The pointers are into both.
static std::vector<char *> environmentWith(ArrayRef<std::string> Added) {
  std::vector<char *> All;
  for (const std::string &Variable : Added)
    All.push_back(const_cast<char *>(Variable.c_str()));
  for (char **Own = environ; *Own; ++Own)
    if (none_of(Added, [&](StringRef Variable) {
          return StringRef(*Own).starts_with(
              Variable.take_front(Variable.find('=') + 1));
        }))
      All.push_back(*Own);
  All.push_back(nullptr);
  return All;
}

Error Running::start(size_t Number) {
  const BuildCommand &C = Commands[Number];
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_addopen(&Actions, 0, "/dev/null", O_RDONLY, 0);
  if (!C.LogFile.empty()) {
    posix_spawn_file_actions_addopen(&Actions, 1, C.LogFile.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&Actions, 1, 2);
  }
  if (!C.Directory.empty())
    posix_spawn_file_actions_addchdir_np(&Actions, C.Directory.c_str());
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setflags(&Attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&Attributes, 0);
  posix_spawnattr_setsigmask(&Attributes, &Signals.maskBefore());
  std::vector<char *> Words;
  for (const std::string &Word : C.Words)
    Words.push_back(const_cast<char *>(Word.c_str()));
  Words.push_back(nullptr);
  std::vector<char *> Variables = environmentWith(C.Variables);
  int Code = posix_spawnp(&Children[Number], Words[0], &Actions, &Attributes,
                          Words.data(), Variables.data());
  posix_spawn_file_actions_destroy(&Actions);
  posix_spawnattr_destroy(&Attributes);
  if (Code == 0) {
    Groups.push_back(Children[Number]);
    ++Alive;
    return Error::success();
  }
  Children[Number] = 0;
  return objectError(C.Words[0], Twine("cannot be run: ") + strerror(Code) +
                                     "; check that it is there, and the folder "
                                     "that it is run in");
}

/// False: no child is left, also none that others have left to us.
bool Running::reap() {
  pid_t Ended;
  int Status;
  while ((Ended = waitpid(-1, &Status, WNOHANG)) > 0) {
    size_t I = find(Children, Ended) - Children.begin();
    if (I == Children.size())
      continue;
    Codes[I] = WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
    Children[I] = 0;
    --Alive;
  }
  return Ended == 0;
}

/// A script ends at once, what it has started takes its time to clean up.
void Running::stopAll() {
  auto SignalAll = [&](int Signal) {
    for (pid_t Group : Groups)
      kill(-Group, Signal);
  };
  SignalAll(SIGTERM);
  auto Start = std::chrono::steady_clock::now();
  for (bool Killed = false; reap(); Signals.wait(100)) {
    auto Waited = std::chrono::steady_clock::now() - Start;
    if (Waited > Patience && !Killed)
      SignalAll(SIGKILL);
    Killed |= Waited > Patience;
    // Servers that a build has started may stay.
    if (Waited > 2 * Patience)
      break;
  }
}

Expected<std::vector<int>> Running::run(unsigned Parallel,
                                        function_ref<void()> Tick) {
  while (true) {
    while (Started != Commands.size() && Alive < std::max(1u, Parallel) &&
           !anyFailed())
      if (Error E = start(Started++)) {
        stopAll();
        return std::move(E);
      }
    reap();
    if (Error E = Signals.check()) {
      stopAll();
      return std::move(E);
    }
    if (anyFailed())
      stopAll();
    if (!Alive && (Started == Commands.size() || anyFailed()))
      return std::move(Codes);
    Tick();
    if (Alive)
      Signals.wait(200);
  }
}

Expected<std::vector<int>> ckjit::runCommands(HeldSignals &Signals,
                                              ArrayRef<BuildCommand> Commands,
                                              unsigned Parallel,
                                              function_ref<void()> Tick) {
  return Running(Signals, Commands).run(Parallel, Tick);
}
