// Loads a code object: load-image WHERE FILE, each time by each function of HIP
// that does so. WHERE: file, mapped, read, or inside (of a mapped file, from
// its second page on).
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int hipInit(unsigned);
int hipModuleLoad(void **, const char *);
int hipModuleLoadData(void **, const void *);
int hipModuleLoadDataEx(void **, const void *, unsigned, void *, void **);
int hipModuleLoadFatBinary(void **, const void *);
int hipModuleUnload(void *);
int hipLibraryLoadFromFile(void **, const char *, void *, void **, unsigned,
                           void *, void **, unsigned);
int hipLibraryLoadData(void **, const void *, void *, void **, unsigned, void *,
                       void **, unsigned);
int hipLibraryUnload(void *);

static void say(const char *Function, int Error, void *Handle,
                int (*Unload)(void *)) {
  printf("%s: error %d", Function, Error);
  if (Error == 0)
    printf(", unloaded: error %d", Unload(Handle));
  printf("\n");
  fflush(stdout);
}

int main(int Count, char **Words) {
  if (Count != 3)
    return 2;
  const char *Where = Words[1], *Path = Words[2];
  void *Handle = NULL;
  hipInit(0);
  if (strcmp(Where, "file") == 0) {
    say("hipModuleLoad", hipModuleLoad(&Handle, Path), Handle, hipModuleUnload);
    say("hipLibraryLoadFromFile",
        hipLibraryLoadFromFile(&Handle, Path, NULL, NULL, 0, NULL, NULL, 7),
        Handle, hipLibraryUnload);
    return 0;
  }
  struct stat Info;
  int Fd = open(Path, O_RDONLY);
  if (Fd < 0 || fstat(Fd, &Info) != 0)
    return 1;
  char *Image = mmap(NULL, (size_t)Info.st_size, PROT_READ, MAP_PRIVATE, Fd, 0);
  if (strcmp(Where, "inside") == 0)
    Image += 4096;
  if (strcmp(Where, "read") == 0) {
    char *Copy = malloc((size_t)Info.st_size);
    memcpy(Copy, Image, (size_t)Info.st_size);
    Image = Copy;
  }
  close(Fd);
  say("hipModuleLoadData", hipModuleLoadData(&Handle, Image), Handle,
      hipModuleUnload);
  say("hipModuleLoadDataEx", hipModuleLoadDataEx(&Handle, Image, 3, NULL, NULL),
      Handle, hipModuleUnload);
  say("hipModuleLoadFatBinary", hipModuleLoadFatBinary(&Handle, Image), Handle,
      hipModuleUnload);
  say("hipLibraryLoadData",
      hipLibraryLoadData(&Handle, Image, NULL, NULL, 0, NULL, NULL, 7), Handle,
      hipLibraryUnload);
  return 0;
}
