//===- HostPlan.h - choice between two layouts ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses one of two layouts. The one that keeps all addresses is always right.
// The compact one moves some; it is used if it is requested or allowed, and
// Compact.h finds all fields to change.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_HOSTPLAN_H
#define KPACK_LIB_HOSTREWRITE_ELF_HOSTPLAN_H

#include "Compact.h"
#include "HostRewrite/Convert.h"

namespace kpack::hostrewrite {

struct HostPlan {
  ElfLayout Layout;
  /// Fields of a layout that moves addresses.
  std::vector<MovedField> Fields;

  bool movesAddresses() const { return Layout.ShiftFrom.has_value(); }
  /// Less than a page of the device code's memory is left.
  bool isCompact() const { return movesAddresses() || Layout.IsLast; }
};

/// \p MarkerSize is in bytes. Fails if no layout of that kind is possible.
llvm::Expected<HostPlan> planHost(const ElfView &View,
                                  const PointerFacts &Pointers,
                                  uint64_t MarkerSize, LayoutKind Kind);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_HOSTPLAN_H
