// Starts a program by each function of the C library that does so, and says how
// the first words of the program then are: starts PROGRAM NAME-IN-PATH
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static void inChild(const char *What, const std::function<void()> &Start) {
  std::printf("%s: ", What);
  std::fflush(stdout);
  pid_t Child = ::fork();
  if (Child == 0) {
    Start();
    std::perror(What);
    ::_exit(1);
  }
  int Status = 0;
  ::waitpid(Child, &Status, 0);
  std::printf(" -> %d\n", WEXITSTATUS(Status));
  std::fflush(stdout);
}

static void spawned(const char *What, decltype(::posix_spawn) &Start,
                    const char *Name, char **Words) {
  std::printf("%s: ", What);
  std::fflush(stdout);
  pid_t Child = 0;
  int Problem = Start(&Child, Name, nullptr, nullptr, Words, environ);
  int Status = 0;
  if (Problem == 0)
    ::waitpid(Child, &Status, 0);
  std::printf(" -> %d\n", Problem ? Problem : WEXITSTATUS(Status));
  std::fflush(stdout);
}

int main(int Count, char **Arguments) {
  if (Count != 3)
    return 2;
  const char *Path = Arguments[1];
  const char *Name = Arguments[2];
  char Zero[] = "zero", File[] = "/proc/self/cmdline";
  char *Words[] = {Zero, File, nullptr};
  inChild("execve", [&] { ::execve(Path, Words, environ); });
  inChild("execv", [&] { ::execv(Path, Words); });
  inChild("execl", [&] { ::execl(Path, Zero, File, nullptr); });
  inChild("execle", [&] { ::execle(Path, Zero, File, nullptr, environ); });
  inChild("execvp", [&] { ::execvp(Name, Words); });
  inChild("execvpe", [&] { ::execvpe(Name, Words, environ); });
  inChild("execlp", [&] { ::execlp(Name, Zero, File, nullptr); });
  spawned("posix_spawn", ::posix_spawn, Path, Words);
  spawned("posix_spawnp", ::posix_spawnp, Name, Words);
  inChild("shell", [&] { ::_exit(std::system("tool /proc/self/cmdline")); });
  inChild("missing", [&] { ::execv("/nowhere/tool", Words); });
  spawned("missing", ::posix_spawnp, "/nowhere/tool", Words);
  inChild("none", [&] { ::execv(Path, nullptr); });
}
