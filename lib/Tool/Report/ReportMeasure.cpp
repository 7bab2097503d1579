//===- ReportMeasure.cpp - bytes of a code object by kind -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A frame does not record its compression level. So the code object is
// compressed with its debug information and without, both with ArchiveWriter's
// default level and matching, and the ratio of the two is applied to the stored
// size. The result is exact for that level, and an estimate for other levels
// and for bundles that are compressed as a whole.
//
//===----------------------------------------------------------------------===//
#include "Tool/Report/ReportMeasure.h"
#include "Offload/CodeObjectHeader.h"
#include "Offload/DeviceDebug.h"
#include "Offload/KernelFacts.h"
#include "ToolSupport/Demangle.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

uint64_t tool::computeShare(uint64_t Whole, uint64_t Part, uint64_t Total) {
  if (Whole == Total || Total == 0)
    return std::min(Whole, Part);
  double Ratio = std::min(double(Part) / double(Total), 1.0);
  return std::min(Whole, uint64_t(Ratio * double(Whole)));
}

/// Returns the size of \p Bytes in a separate file.
static uint64_t packedSize(StringRef Bytes, bool IsCompressed) {
  if (!IsCompressed || !compression::zstd::isAvailable())
    return Bytes.size();
  constexpr size_t LargeSize = size_t(1) << 20; // as in CompressionPool.cpp
  SmallVector<uint8_t, 0> Smaller;
  compression::zstd::compress(arrayRefFromStringRef(Bytes), Smaller,
                              /*Level=*/3, Bytes.size() > LargeSize);
  return Smaller.size();
}

/// Divides the rest of Out.Stored among the kernels, in proportion to their
/// instructions in \p Plain bytes.
static void shareOut(StringRef Bytes, uint64_t Plain, ImageShare &Out) {
  Expected<offload::CodeObjectFacts> Facts = offload::readKernelFacts(Bytes);
  if (!Facts)
    return consumeError(Facts.takeError()); // `kpack verify` reports it
  uint64_t Whole = Out.Other;
  for (const offload::KernelFacts &Kernel : Facts->Kernels) {
    uint64_t Size = std::min(
        Out.Other, computeShare(Whole, Kernel.CodeSize.value_or(0), Plain));
    Out.Other -= Size;
    Out.Kernels.emplace_back(demangleName(Kernel.Name), Size);
  }
}

ImageShare tool::measureImage(StringRef Bytes, uint64_t Stored,
                              bool IsCompressed) {
  ImageShare Out;
  Out.Plain = Bytes.size();
  Out.Stored = Out.Other = Stored;
  Out.Hash = detail::contentHash({Bytes.data(), Bytes.size()});
  if (!offload::isCodeObject(Bytes))
    return Out;
  std::unique_ptr<MemoryBuffer> Bare;
  // Strip would save nothing in a code object that it cannot strip.
  if (Error E = offload::withoutDeviceDebug(Bytes).moveInto(Bare))
    consumeError(std::move(E));
  StringRef Rest = Bare ? Bare->getBuffer() : Bytes;
  std::string Symbols = join(offload::unloadedSymbols(Rest), "");
  if (Bare || !Symbols.empty()) {
    uint64_t Full = packedSize(Bytes, IsCompressed);
    if (Bare)
      Out.Debug = computeShare(
          Stored, Full - std::min(Full, packedSize(Rest, IsCompressed)), Full);
    Out.Symbols =
        std::min(Stored - Out.Debug,
                 computeShare(Stored, packedSize(Symbols, IsCompressed), Full));
    Out.Other -= Out.Debug + Out.Symbols;
  }
  shareOut(Rest, Rest.size() - std::min(Rest.size(), Symbols.size()), Out);
  return Out;
}
