// CHECK(call of HIP): ends the program with 3 if it fails.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

#define CHECK(Call)                                                            \
  do {                                                                         \
    hipError_t Err = Call;                                                     \
    if (Err) {                                                                 \
      std::printf("%s: %s\n", #Call, hipGetErrorString(Err));                  \
      std::exit(3);                                                            \
    }                                                                          \
  } while (0)
