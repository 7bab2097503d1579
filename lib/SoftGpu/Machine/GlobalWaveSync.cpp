//===- GlobalWaveSync.cpp - barriers across workgroups --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ds_gws_init and ds_gws_barrier (Vega ISA, 12.13: "DS_GWS_BARRIER"). Both take
// a count from the first active lane. A waiting wave repeats its barrier and
// lets other waves run in between. Semaphores have no semantics.
//
//===----------------------------------------------------------------------===//
#include "GlobalWaveSync.h"
#include "Opcodes.h"
#include "Wave.h"
#include "llvm/ADT/bit.h"

namespace kpack::softgpu {

/// Returns the resource; M0 has the base in bits [21:16].
static unsigned resource(const Wave &W, const Instruction &I) {
  return ((W.Scalars[M0] >> 16) + unsigned(I.Offset)) %
         GlobalWaveSync::Resources;
}

static uint32_t count(const Wave &W, const Instruction &I) {
  uint64_t Active = W.exec();
  unsigned Lane = Active ? unsigned(llvm::countr_zero(Active)) : 0;
  return W.Vectors[I.Operands[0].Index].V[Lane];
}

static void initialize(Wave &W, const Instruction &I) {
  W.Group->Launch->Sync->initialize(resource(W, I), count(W, I));
}

static void barrier(Wave &W, const Instruction &I) {
  GlobalWaveSync &Sync = *W.Group->Launch->Sync;
  unsigned Resource = resource(W, I);
  if (!W.AwaitedSync)
    W.AwaitedSync = Sync.arrive(Resource, count(W, I));
  if (Sync.phase(Resource) != *W.AwaitedSync) {
    W.AwaitedSync.reset();
    return;
  }
  W.Pc -= I.Size;
  W.Status = Wave::State::Yielded;
}

static constexpr OpcodeInfo Table[] = {
    {"ds_gws_init", initialize, ModGds | ModOffset},
    {"ds_gws_barrier", barrier, ModGds | ModOffset},
};

llvm::ArrayRef<OpcodeInfo> globalWaveSyncOpcodes() { return Table; }

} // namespace kpack::softgpu
