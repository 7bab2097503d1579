//===- Kernel.h - the function that JitBench calls --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What JitBench calls, in arguments of the size that attention kernels have.
struct Stream {
  void *Id = nullptr;
  int Time = 0;
};
struct Arguments {
  const void *Pointers[12] = {};
  int Sizes[40] = {};
};
__attribute__((visibility("default"))) float kernel(const Stream &,
                                                    const Arguments &);
