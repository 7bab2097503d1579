// A program with a kernel of its own and one in more.hip. It uses the runtime
// only if it is given an argument, and removes the file that a second one names
// before that.
#include "hip_mini.h"

extern "C" hipError_t hipInit(unsigned);
extern "C" int puts(const char *);
extern "C" int unlink(const char *);
extern "C" int chdir(const char *);

__global__ void first(int *P) { *P = 1; }
void launchSecond();

int main(int Count, char **Arguments) {
  puts("main");
  if (Count == 1)
    return 0;
  if (Count > 2 && (unlink(Arguments[2]) != 0 || chdir("/") != 0))
    return 1;
  first<<<dim3(1), dim3(1)>>>(nullptr);
  launchSecond();
  return hipInit(0);
}
