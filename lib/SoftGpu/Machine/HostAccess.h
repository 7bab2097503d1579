//===- SoftGpu/Machine/HostAccess.h - what the host refuses -----*- C++ -*-===//
//-*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may take away what it has registered for a GPU: by munmap() in a
// way that nobody sees, by mprotect(), by cutting a file off. An access of a
// kernel is then a SIGSEGV or SIGBUS of the thread that executes it. Between
// the system's memory and a fault of the kernel stands this: accessHost() does
// something and tells if it was broken off by such a signal.
//
// Costs nothing where nothing happens but a sigsetjmp() a call. Signals of all
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
  uint64_t Host = 0; ///< the address, as the process has it

  /// "; the program has unmapped it" or the like.
  const char *reason() const;
  /// The address of device code; 0: in none of \p Ranges.
  uint64_t address(const MemoryMap::Snapshot &Ranges) const;
};

/// From here on accesses that the system refuses end in accessHost(). The first
/// call is the one that says what handles signals behind us.
void catchHostFaults(const SignalFunctions &Next);

/// sigaction() of the program. False: the signal is not handled here.
bool exchangeHostFaultAction(int Signal, const struct sigaction *New,
                             struct sigaction *Old);

/// While it lives, this thread accesses memory of \p Ranges, and goes to Point
/// if that is refused. Nothing else is on the way there: what executes an
/// access holds no lock and no object with a destructor then.
class HostAccess {
public:
  using Ranges = std::shared_ptr<const MemoryMap::Snapshot>;
  explicit HostAccess(const Ranges &R);
  ~HostAccess();
  HostAccess(const HostAccess &) = delete;
  HostAccess &operator=(const HostAccess &) = delete;

  /// While it lives, this thread does something else.
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

/// Does \p Access, which may be broken off at any access to memory of \p R, and
/// then says why it was.
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
