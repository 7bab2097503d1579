//===- LazyBundle.h - offload bundle made on demand -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The offload bundle of a HIPK wrapper, as a source of pages: the header
// (Support/BundleHeader.h), then code objects, each aligned to a page.
//
// The first touch of the header finds the binary, its devices and archives, and
// fixes the layout; the first touch of a code object reads it. The bundle has
// one entry for each kind of GPU in the process, under that GPU's target id,
// even if another target's code serves it: so a runtime that does not know
// generic targets accepts their code. If the devices are unknown, the bundle
// has one entry for each target of the archives.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_LAZYBUNDLE_H
#define KPACK_LIB_HIPSHIM_LAZYBUNDLE_H

#include "CodeFinder.h"
#include "Explainer.h"
#include "LazyMemory.h"

#include <optional>
#include <string>
#include <vector>

namespace kpack::hipshim {

/// The state that all bundles of a process share; outlives them.
struct BundleContext {
  explicit BundleContext(runtime::Environment Env) : Finder(std::move(Env)) {}

  CodeFinder Finder;
  Explainer Messages;
};

class LazyBundle : public PageSource {
public:
  /// \p Marker is read at the first touch. \p Index is the wrapper's. \p Gpus,
  /// the devices of the runtime, must outlive the bundle.
  LazyBundle(BundleContext &Context, const runtime::DeviceList &Gpus,
             const void *Marker, uint32_t Index)
      : Context(Context), Gpus(Gpus), Marker(Marker), Index(Index) {}
  /// Makes the bundle of a reference that is decoded already.
  LazyBundle(BundleContext &Context, const runtime::DeviceList &Gpus,
             Wanted Known)
      : Context(Context), Gpus(Gpus), Marker(nullptr), Index(0),
        W(std::move(Known)) {}

  Part partAt(uint64_t Offset, uint64_t RangeSize) override;
  void fill(const Part &P, char *Target) override;
  void noMemory(const Part &P) noexcept override;
  uint64_t usedSize(uint64_t RangeSize) const override;

private:
  struct Entry {
    std::string Target; // the id in the header
    std::vector<Candidate> Candidates;
    uint64_t Offset = 0;
    uint64_t Size = 0; // of the largest candidate
  };

  std::optional<Wanted> identify();
  void layOut(uint64_t RangeSize);
  void addDevices(const std::vector<runtime::Device> &Devices);
  void addAllTargets();
  void place(uint64_t RangeSize);
  std::string header() const;

  BundleContext &Context;
  const runtime::DeviceList &Gpus;
  const void *const Marker;
  const uint32_t Index;
  bool IsLaidOut = false;
  Wanted W;
  std::vector<Entry> Entries;
  uint64_t HeaderSize = 0; // whole pages
};

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_LAZYBUNDLE_H
