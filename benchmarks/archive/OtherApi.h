//===- OtherApi.h - code objects read through librocm_kpack.so --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fetches code objects through rocm_kpack/kpack.h. See ArchiveBench.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_BENCHMARKS_ARCHIVE_OTHERAPI_H
#define KPACK_BENCHMARKS_ARCHIVE_OTHERAPI_H

#include <cstdint>
#include <memory>
#include <string>

namespace kpack::bench {

/// Ends the process when something cannot be had.
class OtherApi {
public:
  /// The archive at \p Path, by itself and through the marker of a binary
  /// \p KernelName, for \p Arch.
  OtherApi(const std::string &Path, const std::string &KernelName,
           const std::string &Arch);
  ~OtherApi();

  void get(const std::string &Key);
  void load(uint32_t Index);

private:
  struct Impl;
  std::unique_ptr<Impl> P;
};

} // namespace kpack::bench

#endif // KPACK_BENCHMARKS_ARCHIVE_OTHERAPI_H
