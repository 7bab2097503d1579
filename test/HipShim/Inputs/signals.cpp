// Sets its own handler in one of several ways, uses the runtime, then crashes.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

extern "C" void secondOf(float *);

static void caught(int, siginfo_t *Info, void *) {
  char Text[64];
  int Length =
      std::snprintf(Text, sizeof(Text), "caught at %p\n", Info->si_addr);
  _exit(write(STDOUT_FILENO, Text, Length) == Length ? 0 : 1);
}
static void caughtPlain(int) {
  _exit(write(STDOUT_FILENO, "caught at 0x40\n", 15) == 15 ? 0 : 1);
}

int main(int, char **Arguments) {
  const std::string How = Arguments[1];
  if (How == "signal") {
    if (signal(SIGSEGV, caughtPlain) == SIG_ERR ||
        signal(SIGSEGV, caughtPlain) != caughtPlain)
      return 1;
  } else {
    struct sigaction New = {}, Old = {};
    New.sa_sigaction = caught;
    New.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (sigaction(SIGSEGV, &New, nullptr) != 0 ||
        sigaction(SIGSEGV, nullptr, &Old) != 0 || Old.sa_sigaction != caught)
      return 1;
  }
  static char Small[16384];
  if (How == "stack") {
    stack_t Stack = {};
    Stack.ss_sp = Small;
    Stack.ss_size = sizeof(Small);
    if (sigaltstack(&Stack, nullptr) != 0)
      return 1;
  }
  if (How == "blocked") {
    sigset_t All;
    sigfillset(&All);
    sigprocmask(SIG_BLOCK, &All, nullptr);
    pthread_sigmask(SIG_SETMASK, &All, nullptr);
  }
  secondOf(nullptr);
  return *reinterpret_cast<volatile char *>(uintptr_t(0x40));
}
