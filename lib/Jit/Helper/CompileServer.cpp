//===- CompileServer.cpp - kpack-jit-compile --serve ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CompileHelper.h. This process only forks: helpers, of which one waits for
// the next request, takes it from the socket by itself and answers it with the
// directory and the environment that the program had when it asked; and warm
// compilers (CompilerPool.h). It has mapped none itself: a fork is quick, and
// nothing that goes wrong in one goes wrong here. It has a session of its own:
// an interrupt from a terminal is for the program, whose end or loss of
// interest is what ends a compile.
//
//===----------------------------------------------------------------------===//
#include "CompilerPool.h"
#include "Request.h"

#include "Support/DescriptorSocket.h"
#include "Support/Files.h"
#include "Support/Numbers.h"
#include "Support/Pipe.h"
#include "Support/SecureMode.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

extern char **environ;

/// Warm compilers take memory: no more than a few compiles run without a
/// program.
static constexpr long MaxCompilers = 4;

namespace {

class Server {
public:
  Server(UniqueFd Control, Demangler Demangle, const char *Module)
      : Control(std::move(Control)), Demangle(Demangle), Module(Module),
        Pool(unsigned(
            std::clamp(::sysconf(_SC_NPROCESSORS_ONLN), 1l, MaxCompilers))) {
    struct ucred Peer = {};
    socklen_t Size = sizeof(Peer);
    if (::getsockopt(this->Control.get(), SOL_SOCKET, SO_PEERCRED, &Peer,
                     &Size) == 0)
      Program = openProcess(Peer.pid);
  }
  int run();

private:
  bool makeNext();
  [[noreturn]] void waitForRequest(pid_t Parent, UniqueFd Waits);
  int answer(const std::vector<UniqueFd> &Files);
  [[noreturn]] void execute();

  UniqueFd Control;
  UniqueFd Program; ///< the one that asks
  const Demangler Demangle;
  const char *const Module;
  CompilerPool Pool;
  UniqueFd Next; ///< ends when the helper that waits has a request, or is gone
};

/// What is sent with a request, in this order.
enum Sent { Question, Reply, Directory, Count };

} // namespace

/// In the request's own process.
int Server::answer(const std::vector<UniqueFd> &Files) {
  prepareHelper("kpack-jit-comp");
  if (::fchdir(Files[Directory].get()) != 0 ||
      ::dup2(Files[Reply].get(), STDOUT_FILENO) < 0)
    return 1;
  std::optional<Message> Asked =
      Message::decode(readToEnd(Files[Question].get()).value_or(""));
  if (!Asked)
    return 1;
  std::vector<std::string> Variables = Asked->all("environment");
  std::vector<char *> Pointers;
  for (std::string &Variable : Variables)
    Pointers.push_back(Variable.data());
  Pointers.push_back(nullptr);
  environ = Pointers.data();
  return answerRequest(*Asked, Demangle, Program, &Pool);
}

/// In a helper that is there before it is needed.
void Server::waitForRequest(pid_t Parent, UniqueFd Waits) {
  ::prctl(PR_SET_NAME, "kpack-jit-next");
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != Parent) // it may have died before that
    ::_exit(1);
  std::vector<UniqueFd> Files;
  do
    Files = receiveDescriptors(Control.get());
  while (!Files.empty() && Files.size() != Sent::Count);
  if (Files.empty())
    ::_exit(0);
  ::prctl(PR_SET_PDEATHSIG, 0);
  Waits = UniqueFd();
  // The program learns from its socket that the server is gone.
  Control = UniqueFd();
  ::_exit(answer(Files));
}

/// What is sent meanwhile waits in the socket.
bool Server::makeNext() {
  UniqueFd Waits;
  if (!makePipe(Next, Waits))
    return false;
  pid_t Parent = ::getpid(), Pid = ::fork();
  if (Pid == 0)
    waitForRequest(Parent, std::move(Waits));
  return Pid > 0;
}

/// In a warm compiler: only here the libraries are mapped.
void Server::execute() {
  Control = UniqueFd();
  void *Loaded = ::dlopen(Module, RTLD_NOW | RTLD_LOCAL);
  Pool.work(reinterpret_cast<MapCompilers *>(
      Loaded ? ::dlsym(Loaded, KPACK_JIT_MAP_COMPILERS) : nullptr));
}

static int idleMilliseconds() {
  // For tests.
  const char *Text = ::secure_getenv("KPACK_JIT_SERVE_SECONDS");
  std::optional<int> Seconds = parseNumber<int>(Text ? Text : "");
  return 1000 * std::clamp(Seconds.value_or(30), 0, 3600);
}

int Server::run() {
  int Idle = idleMilliseconds();
  while (makeNext()) {
    pollfd Events[] = {{Control.get(), 0, 0}, {Next.get(), POLLIN, 0}};
    int Ready;
    while ((Ready = ::poll(Events, 2, Idle)) < 0 && errno == EINTR)
      ;
    // Nobody has asked, or nobody can any more.
    if (Ready <= 0 || Events[0].revents)
      return 0;
    if (Pool.refill())
      execute();
  }
  return 1;
}

static bool isSocket(int File) {
  int Type = 0;
  socklen_t Size = sizeof(Type);
  return ::getsockopt(File, SOL_SOCKET, SO_TYPE, &Type, &Size) == 0 &&
         Type == SOCK_SEQPACKET;
}

int jit::compileServerMain(Demangler Demangle, const char *Module) {
  ::syscall(SYS_close_range, 3u, ~0u, 0u);
  if (!isSocket(STDIN_FILENO) || isSecureMode())
    return noRequest();
  prepareHelper("kpack-jit-serve");
  ::setsid();
  (void)!::chdir("/");
  UniqueFd Control(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  UniqueFd Null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!Control || ::dup2(Null.get(), STDIN_FILENO) < 0 ||
      ::access(Module, R_OK) != 0)
    return 1;
  return Server(std::move(Control), Demangle, Module).run();
}
