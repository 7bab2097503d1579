// What the headers of HIP leave to a library or to an intrinsic that clang must
// know: barriers, fences, mathematics, wrapping atomics, halves.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>

constexpr int Threads = 256;

// Each block adds up its numbers, and the last of the blocks their sums.
__global__ void addUp(const int *In, int *Sums, unsigned *Tickets, int *Out) {
  __shared__ int Part[Threads];
  __shared__ bool IsLast;
  const int T = threadIdx.x;
  Part[T] = In[blockIdx.x * Threads + T];
  __syncthreads();
  for (int Half = Threads / 2; Half; Half /= 2) {
    if (T < Half)
      Part[T] += Part[T + Half];
    cooperative_groups::this_thread_block().sync();
  }
  if (T == 0) {
    Sums[blockIdx.x] = Part[0];
    __threadfence();
    IsLast = atomicInc(Tickets, gridDim.x - 1) == gridDim.x - 1;
    atomicDec(Tickets + 1, 2);
    __threadfence_system();
  }
  __syncthreads();
  if (IsLast && T == 0)
    for (unsigned I = 0; I < gridDim.x; ++I)
      *Out += Sums[I];
}

__global__ void compute(const float *In, float *Out) {
  const float X = In[threadIdx.x];
  float *O = Out + threadIdx.x * 8;
  O[0] = powf(X, 1.5f);
  O[1] = fmodf(X, 0.7f);
  O[2] = rsqrtf(X);
  O[3] = erff(X);
  O[4] = cbrtf(X);
  O[5] = __half2float(hrcp(__float2half(X)));
  O[6] = __high2float(h2rcp(__floats2half2_rn(1.0f, X)));
  __threadfence_block();
  O[7] = X * 1e-40f * 1e20f; // not taken for zero in between
}

static bool near(float A, double B, double Error) {
  return std::fabs(A - B) <= Error * std::fabs(B) + 1e-30;
}

int main() {
  constexpr int Blocks = 5;
  int *In, *Sums, *Out;
  unsigned *Tickets;
  float *X, *Y;
  (void)hipMallocManaged((void **)&In, Blocks * Threads * sizeof(int));
  (void)hipMallocManaged((void **)&Sums, Blocks * sizeof(int));
  (void)hipMallocManaged((void **)&Out, sizeof(int));
  (void)hipMallocManaged((void **)&Tickets, 2 * sizeof(unsigned));
  (void)hipMallocManaged((void **)&X, 32 * sizeof(float));
  (void)hipMallocManaged((void **)&Y, 32 * 8 * sizeof(float));
  int Want = 0;
  for (int I = 0; I < Blocks * Threads; ++I)
    Want += In[I] = I * 7 % 11;
  *Out = Tickets[0] = Tickets[1] = 0;
  for (int I = 0; I < 32; ++I)
    X[I] = 0.1f + 0.05f * I;
  addUp<<<Blocks, Threads>>>(In, Sums, Tickets, Out);
  compute<<<1, 32>>>(X, Y);
  if (hipDeviceSynchronize() != hipSuccess)
    return 1;
  std::printf("sum %s, wrapped to %u and %u\n", *Out == Want ? "right" : "wrong",
              Tickets[0], Tickets[1]);
  int Wrong = 0;
  for (int I = 0; I < 32; ++I) {
    const double V = X[I];
    const float *O = Y + I * 8;
    const double Values[] = {std::pow(V, 1.5), std::fmod(V, (double)0.7f),
                             1 / std::sqrt(V), std::erf(V),
                             std::cbrt(V),     1 / V,
                             1 / V,            V * 1e-20};
    for (int J = 0; J < 8; ++J)
      if (!near(O[J], Values[J], J == 5 || J == 6 ? 2e-3 : J == 1 || J == 7 ? 1e-4 : 1e-5)) {
        std::printf("function %d of %g: %g, not %g\n", J, V, O[J], Values[J]);
        ++Wrong;
      }
  }
  std::printf("%d wrong\n", Wrong);
  return 0;
}
