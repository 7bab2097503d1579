//===- DeviceCase.h - assertions on convolutions on devices -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a test needs to run a ConvCase as users run it: a cache of its own, a
// backend, and the case's memory there. Kernels are compiled through the
// executor, so a process has each once.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_DEVICECASE_H
#define KPACK_UNITTESTS_CONVBUILDER_DEVICECASE_H

#include "ConvCase.h"
#include "TestCache.h"

#include "kpack/ConvBuilder/Backend.h"

#include <memory>

namespace kpack::conv {

/// Whether each test is to try all of its cases, and not only some: with
/// KPACK_CONV_COMPILED=all, at night.
bool allAreAsked();

/// Whether case \p I of a table is one of those. In the suite it is each \p
/// Step -th: all tests of the builder have a minute of one processor.
bool isAsked(size_t I, size_t Step);

/// IMPLICIT_GEMM with such a tile; \p Wave is of MFMA and WMMA.
Algorithm makeGemm(Isa In, const MNK &Tile, const WaveTile &Wave);

/// CpuProcessor, or an emulated GPU; null, and a failure, where there is none.
std::unique_ptr<Backend> chooseBackend(const std::string &Processor);

/// Compiles, runs and downloads. Its memory is the result's; empty, and a
/// failure, where anything of that fails.
TensorBytes runOn(Backend &On, const ConvCase &Case, const Algorithm &Algo);

/// The same, compared with the host reference: to the bit, or within \p Ulps.
void check(Backend &On, const ConvCase &Case, const Algorithm &Algo,
           double Ulps = 0);

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_DEVICECASE_H
