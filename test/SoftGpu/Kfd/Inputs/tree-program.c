// What a program reaches by paths: tree-program WHAT...
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void load(const char *Path, const char *Function) {
  void *Library = dlopen(Path, RTLD_NOW);
  const char *(*Call)(void) = Library ? dlsym(Library, Function) : NULL;
  printf("%s: %s\n", Path, Call ? Call() : dlerror());
}

static void showExe(void) {
  char Link[PATH_MAX];
  ssize_t Length = readlink("/proc/self/exe", Link, sizeof(Link) - 1);
  Link[Length < 0 ? 0 : Length] = '\0';
  printf("exe: %s\nreal: %s\n", Link, realpath("/proc/self/exe", NULL));
}

static int spawn(char *Path) {
  char *Arguments[] = {Path, NULL}, *Environment[] = {NULL};
  pid_t Child;
  return posix_spawn(&Child, Path, NULL, NULL, Arguments, Environment);
}

int main(int Count, char **Words) {
#ifdef NEEDED
  const char *inner(void);
  printf("needed: %s\n", inner());
#endif
  for (int I = 1; I < Count; ++I)
    if (strcmp(Words[I], "exe") == 0) {
      showExe();
    } else if (strcmp(Words[I], "again") == 0) {
      fflush(stdout);
      char Exe[] = "exe";
      char *Again[] = {Words[0], Exe, NULL};
      execv("/proc/self/exe", Again);
    } else if (strncmp(Words[I], "LD_LIBRARY_PATH=", 16) == 0) {
      putenv(Words[I]);
    } else if (strncmp(Words[I], "start=", 6) == 0) {
      fflush(stdout);
      execl(Words[I] + 6, Words[I] + 6, NULL);
      printf("%s: %s\n", Words[I], strerror(errno));
    } else if (strncmp(Words[I], "spawn=", 6) == 0) {
      printf("%s: %s\n", Words[I], strerror(spawn(Words[I] + 6)));
    } else {
      load(Words[I], strstr(Words[I], "outer") ? "outer" : "inner");
    }
  return 0;
}
