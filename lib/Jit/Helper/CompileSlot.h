//===- CompileSlot.h - how many compiles a machine takes --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many processes may each miss another kernel at once, and a compile takes up
// to two gigabytes. A user's compiles on a machine share numbered slots: one
// always goes on, each further one only while there is memory for it. A slot is
// a file in a directory of the user's that no other user can open, locked with
// flock(): the kernel frees it when its owner ends, however that happens.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_COMPILESLOT_H
#define KPACK_LIB_JIT_HELPER_COMPILESLOT_H

#include "kpack/Support/UniqueFd.h"

#include <cstdint>
#include <functional>

namespace kpack::jit {

/// The directory of the user's slots, made if it is missing: kpack in
/// $XDG_RUNTIME_DIR, else /tmp/kpack-<uid>. Nothing where neither is the user's
/// alone.
UniqueFd slotDirectory();

/// The lowest free slot of \p Count in \p Directory; nothing when all are
/// taken, or when only slots other than the first are free and less than
/// \p Wanted bytes are \p Available, which is asked only then: it takes longer
/// than all else. Where there is no directory or no locks: a descriptor of
/// something else, for nothing is limited then.
UniqueFd tryTakeSlot(int Directory, unsigned Count, uint64_t Wanted,
                     const std::function<uint64_t()> &Available);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_COMPILESLOT_H
