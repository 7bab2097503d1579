//===- CompileSlot.h - limit on concurrent compiles -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many processes may each miss a different kernel at once, and a compile takes
// up to two gigabytes. A user's compiles on a machine share numbered slots: one
// compile may always run, each further one only while there is memory. A slot
// is a file that is locked with flock(), in a directory that no other user can
// open. The kernel frees it when its owner ends in any way.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_COMPILESLOT_H
#define KPACK_LIB_JIT_HELPER_COMPILESLOT_H

#include "kpack/Support/UniqueFd.h"

#include <cstdint>
#include <functional>

namespace kpack::jit {

/// Opens the directory of the user's slots and creates it if needed: kpack in
/// $XDG_RUNTIME_DIR, else /tmp/kpack-<uid>. Fails if neither belongs to the
/// user alone.
UniqueFd slotDirectory();

/// Takes the lowest free slot of \p Count in \p Directory. Fails if all are
/// taken, or if the first is taken and fewer than \p Wanted bytes are
/// \p Available, which is called only then, since it is slow. Without a
/// directory or locks nothing is limited; it returns some other descriptor.
UniqueFd tryTakeSlot(int Directory, unsigned Count, uint64_t Wanted,
                     const std::function<uint64_t()> &Available);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_COMPILESLOT_H
