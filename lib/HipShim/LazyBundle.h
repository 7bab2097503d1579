//===- LazyBundle.h - what a runtime gets to read ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The offload bundle that a HIPK wrapper stands for, as a source of pages: the
// header (Support/BundleHeader.h), then code objects, each from the start
// of a page on.
//
// The first touch of the header finds the binary, its devices and archives and
// fixes the layout; the first touch of a code object reads that one. There is
// one entry for each kind of GPU in the process, under that GPU's own target
// id, whatever target serves it: so a runtime that has never heard of generic
// targets takes a generic target's code. If the devices are not known there is
// one for each target of the archives instead.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_LAZYBUNDLE_H
#define KPACK_LIB_HIPSHIM_LAZYBUNDLE_H

#include "CodeFinder.h"
#include "Explain.h"
#include "LazyMemory.h"

#include <optional>
#include <string>
#include <vector>

namespace kpack::hipshim {

/// What all bundles of a process share; outlives them.
struct BundleContext {
  explicit BundleContext(runtime::Environment Env) : Finder(std::move(Env)) {}

  CodeFinder Finder;
  Explainer Messages;
};

class LazyBundle : public PageSource {
public:
  /// \p Marker is read at the first touch. \p Index as in the wrapper.
  /// \p Gpus, which the code is for, outlive the bundle.
  LazyBundle(BundleContext &Context, const runtime::DeviceList &Gpus,
             const void *Marker, uint32_t Index)
      : Context(Context), Gpus(Gpus), Marker(Marker), Index(Index) {}
  /// Of what is known already.
  LazyBundle(BundleContext &Context, const runtime::DeviceList &Gpus,
             Wanted Known)
      : Context(Context), Gpus(Gpus), Marker(nullptr), Index(0),
        W(std::move(Known)) {}

  Part partAt(uint64_t Offset, uint64_t RangeSize) override;
  void fill(const Part &P, char *To) override;
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
