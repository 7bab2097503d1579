//===- GlobalWaveSync.h - barriers across workgroups ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "GWS": counters of the whole GPU, which outlast a dispatch. HIP sets one in a
// separate kernel before a cooperative launch up to gfx10. (On gfx942 and gfx11
// its grids synchronise by memory.) The instructions are in GlobalWaveSync.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_GLOBALWAVESYNC_H
#define KPACK_LIB_SOFTGPU_MACHINE_GLOBALWAVESYNC_H

#include <array>
#include <cstdint>
#include <mutex>

namespace kpack::softgpu {

/// All members are thread-safe.
class GlobalWaveSync {
public:
  static constexpr unsigned Resources = 64;

  /// Sets the number of waves, minus one, that complete a phase.
  void initialize(unsigned Resource, uint32_t Count) {
    std::lock_guard<std::mutex> Guard(Lock);
    All[Resource].Count = Count;
  }

  /// Returns the current phase. The last wave begins the next one, which has
  /// \p NextCount waves, minus one.
  uint32_t arrive(unsigned Resource, uint32_t NextCount) {
    std::lock_guard<std::mutex> Guard(Lock);
    State &S = All[Resource];
    uint32_t Current = S.Phase;
    if (S.Count) {
      --S.Count;
    } else {
      S.Count = NextCount;
      ++S.Phase;
    }
    return Current;
  }

  uint32_t phase(unsigned Resource) {
    std::lock_guard<std::mutex> Guard(Lock);
    return All[Resource].Phase;
  }

private:
  struct State {
    uint32_t Count = 0;
    uint32_t Phase = 0;
  };
  std::mutex Lock;
  std::array<State, Resources> All;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_GLOBALWAVESYNC_H
