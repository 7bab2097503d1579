//===- Machine/HostAccess.h - guarded access to host memory -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may unmap memory that it has registered for a GPU: by a munmap()
// that we do not see, by mprotect(), by truncating a file. A kernel's access is
// then a SIGSEGV or SIGBUS of the thread that executes it. accessHost() turns
// that into a fault of the kernel: it runs a function and reports if such a
// signal has aborted it.
//
// Without a signal the only cost is a sigsetjmp() per call. Signals of all
// other threads and addresses are the program's, see SignalChain.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_MACHINE_HOSTACCESS_H
#define KPACK_SOFTGPU_MACHINE_HOSTACCESS_H

#include "SoftGpu/Machine/MemoryMap.h"
#include "Support/SignalChain.h"

#include <csetjmp>

namespace kpack::softgpu {

/// An access that the system refused.
struct HostFault {
  enum class Kind { Unmapped, Protected, EndOfFile };
  Kind What = Kind::Unmapped;
  bool IsWrite = false;
  uint64_t Host = 0; ///< the process's address

  /// Returns "; the program has unmapped it" or the like.
  const char *reason() const;
  /// Returns the address in device code, or 0 if it is in none of \p Ranges.
  uint64_t address(const MemoryMap::Snapshot &Ranges) const;
};

/// Installs handlers of SIGSEGV and SIGBUS, by which a refused access ends the
/// accessHost() that contains it. Later calls ignore \p Next.
void catchHostFaults(const SignalFunctions &Next);

/// Handles sigaction() of the program. Returns false for other signals, and
/// before catchHostFaults().
bool exchangeHostFaultAction(int Signal, const struct sigaction *New,
                             struct sigaction *Old);

/// During its life, this thread accesses memory of \p Ranges, and jumps to
/// Point if an access is refused. The jump skips code between, so the code that
/// executes an access must hold no lock and no object with a destructor.
class HostAccess {
public:
  using Ranges = std::shared_ptr<const MemoryMap::Snapshot>;
  explicit HostAccess(const Ranges &R);
  ~HostAccess();
  HostAccess(const HostAccess &) = delete;
  HostAccess &operator=(const HostAccess &) = delete;

  /// During its life, this thread makes no such access.
  class Pause {
  public:
    Pause();
    ~Pause();
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;

  private:
    HostAccess *const Paused;
  };

  sigjmp_buf Point;
  HostFault Refused;

private:
  friend struct HostFaultHandler;
  const Ranges &R;
  HostAccess *const Outer;
};

/// Calls \p Access, which is aborted at a refused access to memory of \p R.
/// Returns the refused access, if any.
template <typename Function>
[[gnu::noinline]] std::optional<HostFault>
accessHost(const HostAccess::Ranges &R, Function &&Access) {
  HostAccess Here(R);
  if (sigsetjmp(Here.Point, /*savemask=*/0) != 0)
    return Here.Refused;
  Access();
  return std::nullopt;
}

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_MACHINE_HOSTACCESS_H
