#include <rocm_kpack/kpack.h>
#include <stdio.h>

int main(void) {
  kpack_archive_t Archive;
  printf("opening nothing: %d\n", (int)kpack_open("/nonexistent", &Archive));
  return 0;
}
