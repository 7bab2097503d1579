//===- CompileServer.cpp - resident kpack-jit-compile --serve -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This process only forks. It forks helpers, one of which waits for the next
// request: it takes the request from the socket and answers it with the
// directory and environment of the program at that time. It also forks warm
// compilers (CompilerPool.h). It maps no compiler itself, so that a fork is
// quick and a crash in a compiler does not reach it. It is in a separate
// session: an interrupt from a terminal is for the program, and a compile ends
// when the program ends or cancels.
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

/// Limits warm compilers, which take memory: at most a few compiles run without
/// starting a program.
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
  UniqueFd Program; ///< the requesting program
  const Demangler Demangle;
  const char *const Module;
  CompilerPool Pool;
  UniqueFd Next; ///< closed when the waiting helper has a request or is gone
};

/// The descriptors of a request, in this order.
enum Sent { Question, Reply, Directory, Count };

} // namespace

/// Runs in the request's process.
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

/// Runs in a helper that is forked ahead of its request.
void Server::waitForRequest(pid_t Parent, UniqueFd Waits) {
  ::prctl(PR_SET_NAME, "kpack-jit-next");
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != Parent) // it may have died before the prctl()
    ::_exit(1);
  std::vector<UniqueFd> Files;
  do
    Files = receiveDescriptors(Control.get());
  while (!Files.empty() && Files.size() != Sent::Count);
  if (Files.empty())
    ::_exit(0);
  ::prctl(PR_SET_PDEATHSIG, 0);
  Waits = UniqueFd();
  // Close it, so that the program's socket reports the server's end.
  Control = UniqueFd();
  ::_exit(answer(Files));
}

/// Forks the next helper. Requests wait in the socket meanwhile.
bool Server::makeNext() {
  UniqueFd Waits;
  if (!makePipe(Next, Waits))
    return false;
  pid_t Parent = ::getpid(), Pid = ::fork();
  if (Pid == 0)
    waitForRequest(Parent, std::move(Waits));
  return Pid > 0;
}

/// Runs in a warm compiler: only there are the libraries mapped.
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
    // No requests, or the program has ended.
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
