// many-allocations COUNT: allocations of a page, all in use at once, and what was
// written to some of them.
#include <stdio.h>
#include <stdlib.h>

int hipMalloc(void **, size_t);
int hipFree(void *);
int hipMemcpy(void *, const void *, size_t, int Kind);

enum { ToDevice = 1, ToHost = 2, Step = 500 };

int main(int Count, char **Words) {
  int Wanted = Count > 1 ? atoi(Words[1]) : 0;
  void **All = calloc((size_t)Wanted + 1, sizeof(void *));
  for (int I = 0; I < Wanted; ++I) {
    if (hipMalloc(&All[I], 4096) != 0)
      return printf("failed at %d\n", I), 1;
    if (I % Step == 0 && hipMemcpy(All[I], &I, sizeof(I), ToDevice) != 0)
      return printf("no copy at %d\n", I), 1;
  }
  for (int I = 0; I < Wanted; I += Step) {
    int Read = -1;
    if (hipMemcpy(&Read, All[I], sizeof(Read), ToHost) != 0 || Read != I)
      return printf("%d has %d\n", I, Read), 1;
  }
  for (int I = 0; I < Wanted; ++I)
    if (hipFree(All[I]) != 0)
      return printf("not freed: %d\n", I), 1;
  printf("all %d\n", Wanted);
  return 0;
}
