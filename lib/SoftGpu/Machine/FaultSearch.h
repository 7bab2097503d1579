//===- FaultSearch.h - search for the lane that faulted ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The signal of a refused access (HostAccess.h) has an address and no lane,
// since noting the lane would slow every access. So the instruction is executed
// once more in a thread that searches: no access goes to memory, and the first
// that touches the refused page is the fault. The wave has failed already, so
// its registers no longer matter.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_FAULTSEARCH_H
#define KPACK_LIB_SOFTGPU_MACHINE_FAULTSEARCH_H

#include "SoftGpu/Machine/HostAccess.h"

namespace kpack::softgpu {

class FaultSearch {
public:
  /// \p Address is the address in device code.
  FaultSearch(const HostFault &Cause, uint64_t Address)
      : What(Cause), Page(Address & ~(PageBytes - 1)) {
    Current = this;
  }
  ~FaultSearch() { Current = nullptr; }
  FaultSearch(const FaultSearch &) = delete;
  FaultSearch &operator=(const FaultSearch &) = delete;

  /// Returns this thread's search, or null.
  static FaultSearch *current() { return Current; }

  bool isRefused(uint64_t Address, uint64_t Size) const {
    return Address < Page + PageBytes && Page < Address + Size;
  }
  /// Replaces the memory of accesses during the search.
  uint8_t *place() { return Place; }

  const HostFault What;

private:
  [[gnu::tls_model(
      "initial-exec")]] static inline constinit thread_local FaultSearch
      *Current = nullptr;

  const uint64_t Page;
  alignas(16) uint8_t Place[64] = {};
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_FAULTSEARCH_H
