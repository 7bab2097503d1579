/*===- AuditLog.c - which programs have been run ----------------------------===
 *
 * Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * The dynamic linker loads what LD_AUDIT names into each program before it
 * begins: its path is added to the file AUDIT_LOG.
 *
 *===----------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

unsigned la_version(unsigned Version) {
  char Path[PATH_MAX + 1];
  const char *Log = getenv("AUDIT_LOG");
  ssize_t Size = readlink("/proc/self/exe", Path, PATH_MAX);
  int File = Log ? open(Log, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
  if (File >= 0 && Size > 0) {
    Path[Size] = '\n';
    (void)!write(File, Path, (size_t)Size + 1);
  }
  if (File >= 0)
    close(File);
  return Version;
}
