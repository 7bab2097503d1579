//===- SoftGpu/Isa/Target.h - properties of GPU architectures ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Differences between the emulated architectures that an instruction's text
// does not show. The emulator asks these functions instead of comparing names.
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

  /// At a kernel's entry, v0 holds x | y << 10 | z << 20; otherwise v0, v1, v2
  /// hold them.
  bool hasPackedWorkItemIds() const {
    return Isa == Family::Gfx90a || Isa == Family::Gfx940 || isGfx11Plus();
  }
  /// Hardware sets up the private segment for scratch_ and flat_scratch;
  /// otherwise the kernel's prologue sets up flat_scratch or s[0:3].
  bool hasArchitectedFlatScratch() const {
    return Isa == Family::Gfx940 || isGfx11Plus();
  }
  /// Work-group ids are in ttmp7 and ttmp9, not in system SGPRs.
  bool hasArchitectedWorkgroupIds() const { return isGfx12Plus(); }
  /// AccVGPRs share one file with VGPRs, from 256 on in our numbering.
  bool hasUnifiedRegisterFile() const {
    return Isa == Family::Gfx90a || Isa == Family::Gfx940;
  }
  /// 16-bit results preserve the upper half of the destination; else zero it.
  bool preservesHigh16() const { return isGfx10Plus(); }
  unsigned ldsBytes() const { return 65536; }
  /// SRAM-ECC is always on: a D16 load clears the half that it does not load.
  bool hasSramEcc() const {
    return Isa == Family::Gfx90a || Isa == Family::Gfx940;
  }

  /// Fails for a processor without semantics in this interpreter.
  static llvm::Expected<Target> get(llvm::StringRef Processor);
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_ISA_TARGET_H
