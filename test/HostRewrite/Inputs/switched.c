/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a program and, at one of its system calls, has another user do something:
 *
 *   switched USER OPENED EXISTING NUMBER ACTION PROGRAM ARGUMENT...
 *
 * The calls of all threads are counted from the first one where a descriptor
 * leads to the path OPENED (empty: any) and something is there that fits the
 * pattern EXISTING (empty: nothing has to). Before call NUMBER runs, USER runs
 * the shell command ACTION, in which $MATCH is what fits EXISTING; the program
 * stands still meanwhile. Prints "switched", or how many calls were counted.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what) {
  perror(what);
  exit(99);
}

/* Whether a descriptor of the process leads to the path. */
static int has_open(pid_t process, const char *path) {
  char folder[64], name[PATH_MAX], target[PATH_MAX];
  int found = 0;
  snprintf(folder, sizeof(folder), "/proc/%d/fd", process);
  DIR *all = opendir(folder);
  if (!all)
    return 0;
  for (struct dirent *entry; !found && (entry = readdir(all));) {
    snprintf(name, sizeof(name), "%s/%s", folder, entry->d_name);
    ssize_t size = readlink(name, target, sizeof(target) - 1);
    target[size < 0 ? 0 : size] = 0;
    found = size > 0 && !strcmp(target, path);
  }
  closedir(all);
  return found;
}

static int exists(const char *pattern, char *match) {
  glob_t all;
  int found = glob(pattern, 0, NULL, &all) == 0;
  if (found)
    snprintf(match, PATH_MAX, "%s", all.gl_pathv[0]);
  globfree(&all);
  return found;
}

static void act_as(uid_t user, const char *action, const char *match) {
  int status;
  pid_t child = fork();
  if (child == 0) {
    if (setgroups(0, NULL) || setgid(user) || setuid(user))
      fail("setuid");
    setenv("MATCH", match, 1);
    execl("/bin/sh", "sh", "-ec", action, (char *)NULL);
    fail("sh");
  }
  if (waitpid(child, &status, 0) != child || status != 0) {
    fprintf(stderr, "switched: '%s' failed\n", action);
    exit(99);
  }
}

int main(int argc, char **argv) {
  if (argc < 7)
    return 99;
  uid_t user = (uid_t)atoi(argv[1]);
  const char *opened = argv[2], *existing = argv[3];
  long number = atol(argv[4]), count = 0;
  int begun = 0, done = 0, status, result = 99;
  char match[PATH_MAX] = "";
  pid_t program = fork();
  if (program == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    execvp(argv[6], argv + 6);
    fail(argv[6]);
  }
  if (waitpid(program, &status, 0) != program ||
      ptrace(PTRACE_SETOPTIONS, program, NULL,
             PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL))
    fail("ptrace");
  ptrace(PTRACE_SYSCALL, program, NULL, NULL);
  for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread == program)
        result = WIFEXITED(status) ? WEXITSTATUS(status) : 98;
      continue;
    }
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      struct __ptrace_syscall_info info;
      if (!done &&
          ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info) > 0 &&
          info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        begun = begun || !*opened || has_open(program, opened);
        if (begun && (!*existing || exists(existing, match)) &&
            count++ == number) {
          act_as(user, argv[5], match);
          done = 1;
        }
      }
      signal = 0;
    } else if (signal == SIGTRAP || signal == SIGSTOP) {
      signal = 0;
    }
    ptrace(PTRACE_SYSCALL, thread, NULL, signal);
  }
  if (done)
    printf("switched\n");
  else
    printf("%ld\n", count);
  fprintf(stderr, "exit status %d\n", result);
  return 0;
}
