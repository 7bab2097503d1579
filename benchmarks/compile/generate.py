#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the sources that the compile benchmark compiles.

    generate.py DIRECTORY

small.hip   one short kernel: what a build costs apart from compiling
large.hip   many instantiations of unrolled, tiled kernels and their host-side
            references: one device compile takes well over a second

Both are complete without ROCm (-nogpulib -nogpuinc). The text depends on
nothing but this file, so two machines measure the same sources.
"""
import os
import sys

HEADER = r"""
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
typedef __SIZE_TYPE__ size_t;
typedef int hipError_t;
typedef struct ihipStream_t *hipStream_t;
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1)
      : x(X), y(Y), z(Z) {}
};
extern "C" hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
extern "C" hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, hipStream_t *);
extern "C" hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t);
"""

SMALL = r"""
__global__ void vectorAdd(const float *A, const float *B, float *C, int N) {
  int I = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  if (I < N)
    C[I] = A[I] + B[I];
}
int main() {
  vectorAdd<<<dim3(1), dim3(256)>>>(nullptr, nullptr, nullptr, 0);
}
"""

TEMPLATES = r"""
struct Plain {
  template <typename T> static __host__ __device__ T apply(T V) { return V; }
};
struct Relu {
  template <typename T> static __host__ __device__ T apply(T V) { return V < T(0) ? T(0) : V; }
};
struct Sigmoid {
  template <typename T> static __host__ __device__ T apply(T V) {
    T X = V * T(0.5);
    T Y = X < T(0) ? -X : X;
    return T(0.5) + X / (T(1) + Y);
  }
};

// C = Epilogue(A * B), every thread a Rows x Columns tile, the inner loop
// unrolled: what makes GPU sources slow to compile.
template <typename T, int Rows, int Columns, int Depth, typename Epilogue>
__global__ void gemm(const T *A, const T *B, T *C, int M, int N, int K) {
  __shared__ T TileA[Depth][64 * Rows];
  __shared__ T TileB[Depth][4 * Columns];
  int Lane = __builtin_amdgcn_workitem_id_x();
  int Row = (__builtin_amdgcn_workgroup_id_x() * 64 + Lane) * Rows;
  int Column = __builtin_amdgcn_workgroup_id_y() * Columns;
  T Sum[Rows][Columns] = {};
  for (int Base = 0; Base < K; Base += Depth) {
#pragma unroll
    for (int D = 0; D < Depth; ++D) {
#pragma unroll
      for (int R = 0; R < Rows; ++R)
        TileA[D][Lane * Rows + R] = Row + R < M ? A[(Row + R) * K + Base + D] : T(0);
#pragma unroll
      for (int I = 0; I < Columns; ++I)
        TileB[D][(Lane & 3) * Columns + I] = Column + I < N ? B[(Base + D) * N + Column + I] : T(0);
    }
    __builtin_amdgcn_s_barrier();
#pragma unroll
    for (int D = 0; D < Depth; ++D)
#pragma unroll
      for (int R = 0; R < Rows; ++R)
#pragma unroll
        for (int I = 0; I < Columns; ++I)
          Sum[R][I] += TileA[D][Lane * Rows + R] * TileB[D][(Lane & 3) * Columns + I];
    __builtin_amdgcn_s_barrier();
  }
#pragma unroll
  for (int R = 0; R < Rows; ++R)
#pragma unroll
    for (int I = 0; I < Columns; ++I)
      if (Row + R < M && Column + I < N)
        C[(Row + R) * N + Column + I] = Epilogue::apply(Sum[R][I]);
}

// The reference on the host, so that the host compile has work as well.
template <typename T, int Rows, int Columns, int Depth, typename Epilogue>
__attribute__((noinline)) void gemmReference(const T *A, const T *B, T *C, int M, int N, int K) {
  for (int Row = 0; Row + Rows <= M; Row += Rows)
    for (int Column = 0; Column + Columns <= N; Column += Columns) {
      T Sum[Rows][Columns] = {};
      for (int Base = 0; Base + Depth <= K; Base += Depth)
#pragma unroll
        for (int D = 0; D < Depth; ++D)
          for (int R = 0; R < Rows; ++R)
            for (int I = 0; I < Columns; ++I)
              Sum[R][I] += A[(Row + R) * K + Base + D] * B[(Base + D) * N + Column + I];
      for (int R = 0; R < Rows; ++R)
        for (int I = 0; I < Columns; ++I)
          C[(Row + R) * N + Column + I] = Epilogue::apply(Sum[R][I]);
    }
}

template <typename T, int Rows, int Columns, int Depth, typename Epilogue>
void run(void *A, void *B, void *C, int N) {
  gemm<T, Rows, Columns, Depth, Epilogue><<<dim3(N), dim3(64)>>>((T *)A, (T *)B, (T *)C, N, N, N);
  // One shape in three has a reference: the host part of real sources is the
  // smaller one.
  if constexpr (Rows == 2)
    gemmReference<T, Rows, Columns, Depth, Epilogue>((T *)A, (T *)B, (T *)C, N, N, N);
}
"""


# Rows, columns and depth of a thread's tile.
SHAPES = ((2, 2, 4), (4, 4, 4), (4, 2, 8))


def instantiations(shapes):
    for element in ("float", "double", "int"):
        for epilogue in ("Plain", "Relu", "Sigmoid"):
            if element == "int" and epilogue == "Sigmoid":
                continue
            for rows, columns, depth in shapes:
                yield f"{element}, {rows}, {columns}, {depth}, {epilogue}"


def large(shapes=SHAPES):
    calls = "".join(f"  run<{args}>(A, B, C, N);\n" for args in instantiations(shapes))
    return (
        TEMPLATES
        + "int main(int Count, char **) {\n"
        + "  static double Storage[3][64 * 64];\n"
        + "  void *A = Storage[0], *B = Storage[1], *C = Storage[2];\n"
        + "  int N = Count == 1 ? 0 : 64;\n"
        + calls
        + "}\n"
    )


def write(directory):
    for name, body in (("small", SMALL), ("large", large())):
        with open(os.path.join(directory, name + ".hip"), "w") as file:
            file.write("// Generated by benchmarks/compile/generate.py.\n" + HEADER + body)


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    write(sys.argv[1])
