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
// a socket bound to an abstract name: it leaves no file, and the kernel frees
// it when its owner ends, however that happens.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_COMPILESLOT_H
#define KPACK_LIB_JIT_COMPILESLOT_H

#include "kpack/Jit/Store.h"

namespace kpack::jit {

/// Bytes that can be had now: of the machine, or of the control group where
/// that is less. All ones where neither is known.
uint64_t availableMemory();

/// The lowest free slot of \p Count with that \p Name; nothing when all are
/// taken, or when only slots other than the first are free and less than
/// \p Wanted bytes are \p Available. Where sockets cannot be had: a descriptor
/// of something else, for nothing is limited then.
UniqueFd tryTakeSlot(const std::string &Name, unsigned Count, uint64_t Wanted,
                     uint64_t Available);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_COMPILESLOT_H
