//===- CompileServer.cpp - kpack-jit-compile --serve ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CompileHelper.h. This process only forks: a helper for each request, with
// the directory and the environment that the program had when it asked, and
// warm compilers (CompilerPool.h). It has mapped none itself: a fork is quick,
// and nothing that goes wrong in one goes wrong here. It has a session of its
// own: an interrupt from a terminal is for the program, whose end or loss of
// interest is what ends a compile.
//
//===----------------------------------------------------------------------===//
#include "CompilerPool.h"
#include "Request.h"

#include "kpack/Support/DescriptorSocket.h"
#include "kpack/Support/Files.h"
#include "kpack/Support/Numbers.h"
#include "kpack/Support/SecureMode.h"

#include <algorithm>
#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
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
  void serve(std::vector<UniqueFd> Files);
  int answer(const std::vector<UniqueFd> &Files);
  [[noreturn]] void execute();

  UniqueFd Control;
  UniqueFd Program; ///< the one that asks
  const Demangler Demangle;
  const char *const Module;
  CompilerPool Pool;
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

void Server::serve(std::vector<UniqueFd> Files) {
  if (Files.size() != Sent::Count)
    return;
  if (::fork() != 0)
    return;
  // The program learns from its socket that the server is gone.
  Control = UniqueFd();
  int Code = answer(Files);
  ::_exit(Code);
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
  while (true) {
    pollfd Event = {Control.get(), POLLIN, 0};
    int Ready = ::poll(&Event, 1, Idle);
    if (Ready < 0 && errno == EINTR)
      continue;
    if (Ready <= 0)
      return 0;
    std::vector<UniqueFd> Files = receiveDescriptors(Control.get());
    if (Files.empty())
      return 0;
    serve(std::move(Files));
    if (Pool.refill())
      execute();
  }
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
