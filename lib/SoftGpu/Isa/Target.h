//===- SoftGpu/Isa/Target.h - facts on one architecture ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What differs between the emulated architectures and cannot be read off an
// instruction's text. Everything else in this folder asks here instead of
// comparing names.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_ISA_TARGET_H
#define KPACK_SOFTGPU_ISA_TARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace kpack::softgpu {

enum class Family { Gfx9, Gfx90a, Gfx940, Gfx10, Gfx11, Gfx12 };

struct Target {
  std::string Processor; ///< "gfx90a"
  Family Isa = Family::Gfx9;

  bool isGfx9() const { return Isa <= Family::Gfx940; } ///< gfx9, 90a, 940
  bool isGfx10Plus() const { return Isa >= Family::Gfx10; }
  bool isGfx11Plus() const { return Isa >= Family::Gfx11; }
  bool isGfx12Plus() const { return Isa >= Family::Gfx12; }

  /// v0 holds x | y << 10 | z << 20 at a kernel's entry; else v0, v1, v2.
  bool hasPackedWorkItemIds() const {
    return Isa == Family::Gfx90a || Isa == Family::Gfx940 || isGfx11Plus();
  }
  /// The private segment is addressed by scratch_ and flat_scratch set up by
  /// hardware; else the kernel's prologue sets up flat_scratch or s[0:3].
  bool hasArchitectedFlatScratch() const {
    return Isa == Family::Gfx940 || isGfx11Plus();
  }
  /// Work-group ids in ttmp7 and ttmp9, not in user SGPRs.
  bool hasArchitectedWorkgroupIds() const { return isGfx12Plus(); }
  /// AccVGPRs share one file with VGPRs, at 256 and up in our numbering.
  bool hasUnifiedRegisterFile() const {
    return Isa == Family::Gfx90a || Isa == Family::Gfx940;
  }
  /// 16-bit results leave the upper half of the destination; else it is zeroed.
  bool preservesHigh16() const { return isGfx10Plus(); }
  unsigned ldsBytes() const { return 65536; }
  /// SRAM-ECC is always on: a D16 load clears the half it does not load.
  bool hasSramEcc() const {
    return Isa == Family::Gfx90a || Isa == Family::Gfx940;
  }

  /// Errors: a processor that this interpreter has no semantics for.
  static llvm::Expected<Target> get(llvm::StringRef Processor);
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_ISA_TARGET_H
