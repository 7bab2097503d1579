//===- Tracer.h - log of executed instructions ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a line for each executed instruction, with the registers that it
// changed. Compares all registers before and after: slow, and right for every
// opcode.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_TRACER_H
#define KPACK_LIB_SOFTGPU_MACHINE_TRACER_H

#include "KernelDescriptor.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace kpack::softgpu {

class Tracer {
public:
  /// Compares only registers that the kernel has allocated. Prints to stderr.
  explicit Tracer(const KernelDescriptor &Kernel);

  void before(const Wave &W);
  void after(const Wave &W, const Instruction &I);

private:
  void printScalars(llvm::raw_ostream &OS, const Wave &W) const;
  void printVectors(llvm::raw_ostream &OS, const Wave &W) const;

  std::vector<unsigned> VectorsInUse;
  std::array<uint32_t, ScalarRegisterCount> Scalars{};
  bool Scc = false;
  std::vector<Lanes32> Vectors;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_TRACER_H
