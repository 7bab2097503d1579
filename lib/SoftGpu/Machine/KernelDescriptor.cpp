//===- KernelDescriptor.cpp - checked kernel descriptor -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks for errors that hardware does not tolerate, and refuses fields without
// semantics (exceptions, f16 overflow mode) instead of ignoring them.
//
//===----------------------------------------------------------------------===//
#include "KernelDescriptor.h"

#include "SoftGpu/Machine/HostAccess.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/Endian.h"
#include <cstring>

using namespace kpack::softgpu;
using namespace llvm::amdhsa;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

#if LLVM_VERSION_MAJOR < 22
// The same bits; since gfx12.5 another field has this name.
constexpr auto COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT =
    COMPUTE_PGM_RSRC2_USER_SGPR_COUNT;
constexpr auto COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT_SHIFT =
    COMPUTE_PGM_RSRC2_USER_SGPR_COUNT_SHIFT;
#endif

#define FIELD(WORD, NAME) unsigned(AMDHSA_BITS_GET(WORD, NAME))

namespace {

/// The raw words in host order.
struct Raw {
  uint32_t Rsrc1, Rsrc2, Rsrc3;
  uint16_t Properties, Preload;
};

Error refuse(const Twine &Problem) {
  return llvm::createStringError("kernel descriptor: " + Problem);
}

Error checkWords(const Raw &D, const Target &Isa) {
  if (!Isa.isGfx10Plus() &&
      FIELD(D.Properties, KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32))
    return refuse("wave32 on " + Isa.Processor + ", which has wave64 only");
  if (FIELD(D.Rsrc1, COMPUTE_PGM_RSRC1_PRIV) ||
      FIELD(D.Rsrc1, COMPUTE_PGM_RSRC1_DEBUG_MODE))
    return refuse("privileged or debug mode");
  if (FIELD(D.Rsrc1, COMPUTE_PGM_RSRC1_GFX9_PLUS_FP16_OVFL))
    return refuse("f16 overflow mode is not emulated");
  constexpr uint32_t Exceptions = 0x7f000000u | 3u << 13;
  if (D.Rsrc2 & Exceptions)
    return refuse("exceptions are not emulated");
  if (FIELD(D.Rsrc2, COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID) == 3)
    return refuse("work-item id 3 is undefined");
  constexpr unsigned Reserved =
      KERNEL_CODE_PROPERTY_RESERVED0 | KERNEL_CODE_PROPERTY_RESERVED1;
  if (D.Properties & Reserved)
    return refuse("reserved kernel code properties are set");
  return Error::success();
}

FloatMode floatMode(const Raw &D, const Target &Isa) {
  FloatMode M;
  M.Round32 = FIELD(D.Rsrc1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32);
  M.Round1664 = FIELD(D.Rsrc1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_16_64);
  M.Denorm32 = FIELD(D.Rsrc1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32);
  M.Denorm1664 = FIELD(D.Rsrc1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_16_64);
  // gfx12 has neither bit: clamp always flushes NaN, and NaNs are always IEEE.
  M.Dx10Clamp = Isa.isGfx12Plus() ||
                FIELD(D.Rsrc1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP);
  M.Ieee = Isa.isGfx12Plus() ||
           FIELD(D.Rsrc1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE);
  return M;
}

void readRegisterCounts(KernelDescriptor &K, const Raw &D, const Target &Isa) {
  bool Large = Isa.hasUnifiedRegisterFile() || K.Lanes == 32;
  unsigned Total =
      (FIELD(D.Rsrc1, COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT) + 1) *
      (Large ? 8 : 4);
  Total = std::min(Total, VectorRegisterCount);
  K.Vgprs = std::min(Total, 256u);
  if (!Isa.hasUnifiedRegisterFile())
    return;
  unsigned Accum =
      (FIELD(D.Rsrc3, COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET) + 1) * 4;
  K.Vgprs = std::min(Total, Accum);
  K.AccVgprs = std::min(Total - K.Vgprs, 256u);
}

void readSgprs(KernelDescriptor &K, const Raw &D, const Target &Isa) {
  auto Property = [&](unsigned Mask) { return (D.Properties & Mask) != 0; };
  // With architected flat scratch no registers hold the buffer, address and
  // wave offset of scratch.
  bool Scratch = !Isa.hasArchitectedFlatScratch();
  K.PrivateSegmentBuffer =
      Scratch &&
      Property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER);
  K.DispatchPointer = Property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR);
  K.QueuePointer = Property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR);
  K.KernargPointer =
      Property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR);
  K.DispatchId = Property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID);
  K.FlatScratchInit =
      Scratch && Property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT);
  K.PrivateSegmentSizeSgpr =
      Property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE);
  K.WorkgroupId = {
      bool(FIELD(D.Rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X)),
      bool(FIELD(D.Rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y)),
      bool(FIELD(D.Rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z))};
  K.WorkgroupInfo =
      FIELD(D.Rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO);
  K.PrivateSegmentWaveOffset =
      Scratch && FIELD(D.Rsrc2, COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT);
  K.UserSgprs = FIELD(D.Rsrc2, COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT);
  if (Isa.isGfx9()) {
    K.PreloadLength = FIELD(D.Preload, KERNARG_PRELOAD_SPEC_LENGTH);
    K.PreloadOffset = FIELD(D.Preload, KERNARG_PRELOAD_SPEC_OFFSET);
  }
}

/// Returns the number of user SGPRs that the properties request.
unsigned requestedSgprs(const KernelDescriptor &K) {
  return 4 * K.PrivateSegmentBuffer + 2 * K.DispatchPointer +
         2 * K.QueuePointer + 2 * K.KernargPointer + 2 * K.DispatchId +
         2 * K.FlatScratchInit + K.PrivateSegmentSizeSgpr + K.PreloadLength;
}

} // namespace

Expected<KernelDescriptor> KernelDescriptor::read(const MemoryMap &Memory,
                                                  const Target &Isa,
                                                  uint64_t Address) {
  constexpr uint64_t Size = sizeof(kernel_descriptor_t);
  HostAccess::Ranges Ranges = Memory.snapshot();
  const MemoryRange *Range = MemoryMap::find(*Ranges, Address);
  bool IsThere = Range && Range->contains(Address, Size);
  uint8_t Bytes[Size];
  std::optional<HostFault> Refused = accessHost(Ranges, [&] {
    if (IsThere)
      std::memcpy(Bytes, Range->host(Address), Size);
  });
  if (!IsThere || Refused)
    return refuse("its 64 bytes at 0x" + llvm::utohexstr(Address, true) +
                  " are not device memory: " + Memory.describe(Address) +
                  (Refused ? Refused->reason() : ""));
  if (Address % 64)
    return refuse("0x" + llvm::utohexstr(Address, true) +
                  " is not a multiple of 64");
  using namespace llvm::support::endian;
  Raw D = {read32le(Bytes + COMPUTE_PGM_RSRC1_OFFSET),
           read32le(Bytes + COMPUTE_PGM_RSRC2_OFFSET),
           read32le(Bytes + COMPUTE_PGM_RSRC3_OFFSET),
           read16le(Bytes + KERNEL_CODE_PROPERTIES_OFFSET),
           read16le(Bytes + KERNARG_PRELOAD_OFFSET)};
  if (Error E = checkWords(D, Isa))
    return E;

  KernelDescriptor K;
  K.Entry = Address + read64le(Bytes + KERNEL_CODE_ENTRY_BYTE_OFFSET_OFFSET);
  K.GroupSegmentSize = read32le(Bytes + GROUP_SEGMENT_FIXED_SIZE_OFFSET);
  K.PrivateSegmentSize = read32le(Bytes + PRIVATE_SEGMENT_FIXED_SIZE_OFFSET);
  K.Lanes = FIELD(D.Properties, KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32)
                ? 32
                : 64;
  K.Mode = floatMode(D, Isa);
  K.WorkItemIdDimensions =
      FIELD(D.Rsrc2, COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID) + 1;
  readRegisterCounts(K, D, Isa);
  readSgprs(K, D, Isa);
  if (requestedSgprs(K) > K.UserSgprs)
    return refuse("it asks for more user SGPRs than its count, " +
                  Twine(K.UserSgprs));
  std::optional<MemoryRange> Code = Memory.find(K.Entry);
  if (!Code || !Code->contains(K.Entry, 4) || K.Entry % 4)
    return refuse("its entry point 0x" + llvm::utohexstr(K.Entry, true) +
                  " is not device memory: " + Memory.describe(K.Entry));
  return K;
}
