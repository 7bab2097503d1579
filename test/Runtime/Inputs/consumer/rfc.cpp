#include <kpack/kpack.h>
#include <stdio.h>

int openAgain(const char *Path);

int main(void) {
  kpack_archive_t Archive;
  int Error = (int)kpack_open("/nonexistent", &Archive);
  if (openAgain("/nonexistent") != Error)
    return 1;
  printf("opening nothing: %d\n", Error);
  return 0;
}
