//===- Wave.cpp - faults of a wavefront -----------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Off the hot path: handlers call fault() and return; the execution loop
// (Dispatcher.cpp) checks the wave's state and ends the dispatch.
//
//===----------------------------------------------------------------------===//
#include "Wave.h"

using namespace kpack::softgpu;

Fault Wave::describe(Fault::Kind Kind, const Instruction &I,
                     const llvm::Twine &Detail, int Lane,
                     uint64_t Address) const {
  Fault F;
  F.What = Kind;
  F.Pc = I.Address;
  F.Instruction = I.Text;
  F.Lane = Lane;
  F.Address = Address;
  F.Wave = Index;
  F.Detail = Detail.str();
  if (Group) {
    F.Workgroup = Group->Id;
    if (Group->Launch) {
      F.Kernel = Group->Launch->KernelName;
      F.PcOffset = I.Address - Group->Launch->EntryAddress;
    }
  }
  return F;
}

void Wave::fault(Fault::Kind Kind, const Instruction &I,
                 const llvm::Twine &Detail, int Lane, uint64_t Address) {
  Status = State::Faulted;
  if (!Failure)
    Failure = describe(Kind, I, Detail, Lane, Address);
}
