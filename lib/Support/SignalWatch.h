//===- Support/SignalWatch.h - signals as readable events -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For kpack's programs that run others (Jobs.h). Signals, and the ends of
// children, are blocked and read through a descriptor, so one poll() waits for
// them, the output of children and time. There is no handler and no global. A
// program with files that an interrupt has to remove creates this object first
// and destroys it last. Not for libraries in other programs.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_SIGNALWATCH_H
#define KPACK_SUPPORT_SIGNALWATCH_H

#include "Support/SignalMask.h"
#include "kpack/Support/UniqueFd.h"

#include <optional>
#include <sys/signalfd.h>

namespace kpack {

class SignalWatch {
public:
  /// The treatment of a signal that the parent process ignored, as nohup does.
  enum class Ignored { StaysIgnored, IsWatched };

  /// Watches \p Set and SIGCHLD. SIGCHLD is set to its default, since an
  /// inherited SIG_IGN would lose the status of children. Threads that are
  /// started later block the signals, too.
  explicit SignalWatch(sigset_t Set, Ignored Rule = Ignored::StaysIgnored);

  /// Returns the first signal of the set that arrived, or 0. Does not block.
  int caught();
  /// Waits for a signal, a child's end, or that long; -1: no limit.
  void wait(int Milliseconds) const;
  /// Returns the next signal, including SIGCHLD, with more data than caught().
  std::optional<signalfd_siginfo> next();

  /// Readable when a signal has arrived or a child has ended.
  int descriptor() const { return Descriptor.get(); }
  /// The old mask, for children.
  const sigset_t &maskBefore() const { return Mask.before(); }

private:
  sigset_t Watched;
  SignalMask Mask; // destroyed last: an unread signal then ends the program
  UniqueFd Descriptor;
  int Caught = 0;
};

} // namespace kpack

#endif // KPACK_SUPPORT_SIGNALWATCH_H
