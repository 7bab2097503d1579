//===- Loader.h - code object that a marker leads to ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The implementation of kpack_load_code_object(). One search:
//
//   marker -> archivePaths() -> for each target, best first:
//     for each archive in order: toc["<kernel_name>#<index>"][target]
//
// The first code object that can be read wins. An archive that cannot be read,
// or that belongs to another build of the binary, is reported on stderr and
// skipped; its error is returned if no other archive serves. A successful
// search is cached, so that the next load of the same binary for the same
// device makes no file system call.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_RUNTIME_LOADER_H
#define KPACK_LIB_RUNTIME_LOADER_H

#include "Runtime/ArchiveSearch.h"
#include "kpack/Support/Buffer.h"
#include "kpack/Support/Status.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kpack::runtime {

/// All members may be called from any number of threads at once.
class Loader {
public:
  explicit Loader(Environment Env);
  ~Loader();

  /// Returns the code object of wrapper \p Index of \p BinaryPath. \p Marker
  /// points to a marker of unknown length; \p DeviceNames are best first.
  Result<Buffer> load(const void *Marker, std::string_view BinaryPath,
                      uint32_t Index,
                      const std::vector<std::string_view> &DeviceNames);

private:
  struct Search;
  class MissReason;

  Result<std::unique_ptr<Search>>
  resolve(const void *Marker, std::string_view BinaryPath,
          const std::vector<std::string_view> &DeviceNames);
  Result<Buffer> serve(const Search &S, uint32_t Index);
  const ArchiveReader *usable(const Search &S, CachedArchive &A,
                              MissReason &Out);

  ArchiveSearch Finder;
  GrowOnlyTable<Search> Searches;
};

} // namespace kpack::runtime

#endif // KPACK_LIB_RUNTIME_LOADER_H
