// What a HIP program of this machine's HIP uses: the real header, a kernel
// template, device libraries, printf and the size of a wavefront.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

static void check(hipError_t Error) {
  if (Error == hipSuccess)
    return;
  std::printf("error: %s\n", hipGetErrorString(Error));
  std::exit(1);
}

template <typename T> __global__ void root(T *Data, int *Wavefront, int Size) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Size)
    Data[I] = sqrt(Data[I]) + T(warpSize - __AMDGCN_WAVEFRONT_SIZE);
  if (I == 0)
    *Wavefront = __AMDGCN_WAVEFRONT_SIZE;
  if (I == Size - 1)
    printf("thread %d of %s\n", I, "the device");
}

int main() {
  constexpr int Size = 300;
  double Host[Size];
  for (int I = 0; I < Size; ++I)
    Host[I] = double(I) * I;
  double *Data;
  int *Wavefront, Found;
  check(hipMalloc(&Data, sizeof(Host)));
  check(hipMalloc(&Wavefront, sizeof(int)));
  check(hipMemcpy(Data, Host, sizeof(Host), hipMemcpyHostToDevice));
  root<<<2, 256>>>(Data, Wavefront, Size);
  check(hipGetLastError());
  check(hipMemcpy(Host, Data, sizeof(Host), hipMemcpyDeviceToHost));
  check(hipMemcpy(&Found, Wavefront, sizeof(int), hipMemcpyDeviceToHost));
  for (int I = 0; I < Size; ++I)
    if (Host[I] != I) {
      std::printf("wrong at %d: %g\n", I, Host[I]);
      return 1;
    }
  std::printf("right, wavefront %d\n", Found);
}
