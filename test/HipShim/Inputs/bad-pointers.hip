// Hands bad pointers to the functions of the C library that the shim replaces.
#include "hip_mini.h"

extern "C" {
int *__errno_location();
int open(const char *, int, ...);
int openat(int, const char *, int, ...);
void *fopen(const char *, const char *);
int getpid();
int printf(const char *, ...);
long process_vm_readv(int, const void *, unsigned long, const void *,
                      unsigned long, unsigned long);
long write(int, const void *, unsigned long);
long writev(int, const void *, int);
}

__global__ void first(int *P) { *P = 1; }

static void say(const char *Name, long Result) {
  printf("%s: %ld, error %d\n", Name, Result, *__errno_location());
}

int main(int Count, char **) {
  if (Count > 1)
    first<<<dim3(1), dim3(1)>>>(nullptr);
  const char *Bad = reinterpret_cast<const char *>(64);
  char Byte;
  struct {
    const void *Begin;
    unsigned long Size;
  } Good = {&Byte, 1};
  say("open", open(Bad, 0));
  say("openat", openat(-1, Bad, 0));
  say("fopen", fopen(Bad, "r") ? 0 : -1);
  say("write", write(1, Bad, 1));
  say("writev", writev(1, Bad, 1));
  say("process_vm_readv", process_vm_readv(getpid(), &Good, 1, Bad, 1, 0));
}
