//===- Support/SignalWatch.h - signals to be read ---------------*- C++ -*-===//
//-*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs of our own that run others (Jobs.h): signals, and the ends of
// children, are held and read through a descriptor, which makes them, the
// output of children and the passing of time one and the same wait. There is no
// handler and no global. Who makes files that an interrupt has to remove makes
// this first and ends it last. Not for libraries in somebody's program.
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
  /// What becomes of a signal that our parent has us ignore, as nohup does.
  enum class Ignored { StaysIgnored, IsWatched };

  /// Watches \p Set and SIGCHLD, which is no longer ignored: an ignored one,
  /// which is inherited, would lose the status of children. Threads that are
  /// started meanwhile hold the signals, too.
  explicit SignalWatch(sigset_t Set, Ignored Rule = Ignored::StaysIgnored);

  /// The first signal of the set that has come, or 0. Looks without waiting.
  int caught();
  /// Waits for a signal, a child's end, or that long; -1: for ever.
  void wait(int Milliseconds) const;
  /// The next one, SIGCHLD too, for who has to know more about it than caught()
  /// says.
  std::optional<signalfd_siginfo> next();

  /// Can be read when caught() is worth a look or a child has ended.
  int descriptor() const { return Descriptor.get(); }
  /// What was blocked before, as children have it.
  const sigset_t &maskBefore() const { return Mask.before(); }

private:
  sigset_t Watched;
  SignalMask Mask; // ends last: a signal that nobody has read ends us there
  UniqueFd Descriptor;
  int Caught = 0;
};

} // namespace kpack

#endif // KPACK_SUPPORT_SIGNALWATCH_H
