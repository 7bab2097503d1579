//===- HostPlan.h - what a host-only file will look like --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which of two layouts a file gets: the one that keeps all addresses is always
// right; the compact one, which moves some, where it is asked for or allowed
// and Compact.h says that it can be.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_HOSTPLAN_H
#define KPACK_LIB_HOSTREWRITE_ELF_HOSTPLAN_H

#include "Compact.h"
#include "HostRewrite/Convert.h"

namespace kpack::hostrewrite {

struct HostPlan {
  ElfLayout Layout;
  /// Of a layout that moves addresses.
  std::vector<MovedField> Fields;

  bool movesAddresses() const { return Layout.ShiftFrom.has_value(); }
  /// Nothing of the device code's memory is left, but for less than a page.
  bool isCompact() const { return movesAddresses() || Layout.IsLast; }
};

/// \p MarkerSize is in bytes. Errors: a file of which no layout of that kind
/// can be made.
llvm::Expected<HostPlan> planHost(const ElfView &View,
                                  const PointerFacts &Pointers,
                                  uint64_t MarkerSize, LayoutKind Kind);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_HOSTPLAN_H
