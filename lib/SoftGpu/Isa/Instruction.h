//===- SoftGpu/Isa/Instruction.h - decoded instructions ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decoded instruction: operands, modifiers and the function that executes it.
// Each address is decoded once (Decoder.h) and executed many times. The decoder
// parses LLVM's printed text, the only stable interface to the disassembler;
// execution does not use the text.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_ISA_INSTRUCTION_H
#define KPACK_SOFTGPU_ISA_INSTRUCTION_H

#include "SoftGpu/Isa/BufferFormat.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace kpack::softgpu {

struct Wave;
struct Instruction;

using Handler = void (*)(Wave &, const Instruction &);

/// Numbers of scalar registers, the same for all architectures.
enum ScalarRegister : uint16_t {
  SgprCount = 106, ///< s0 to s105
  VccLo = 106,
  VccHi = 107,
  Ttmp0 = 108, ///< to ttmp15 = 123
  M0 = 124,
  ExecLo = 126,
  ExecHi = 127,
  FlatScratchLo = 128,
  FlatScratchHi = 129,
  XnackMaskLo = 130,
  XnackMaskHi = 131,
  ScalarRegisterCount = 132
};

/// AccVGPR n is vector register FirstAccVgpr + n.
constexpr unsigned FirstAccVgpr = 256;
constexpr unsigned VectorRegisterCount = 512;

struct Operand {
  enum class Kind : uint8_t {
    None,
    Vgpr,     ///< Index of the first register, Dwords registers
    Sgpr,     ///< Index as in ScalarRegister
    Constant, ///< Value, see Float
    Null,     ///< reads 0, a write is dropped
    Off,      ///< "off": no register
    Scc,
    Vccz,
    Execz,
    SharedBase, ///< the apertures, 64 bits; a 32-bit read returns the high half
    SharedLimit,
    PrivateBase,
    PrivateLimit,
    HardwareRegister, ///< Value: the 16-bit encoding id | offset << 6 |
                      ///< (size-1) << 11
    Symbol ///< sendmsg(...) and gpr_idx(...): Value is the encoding, or ~0 if
           ///< unknown; waits: 0 if they name vmcnt(0), else ~0
  };
  /// The 16-bit half of a true16 operand.
  enum class Half : uint8_t { None, Low, High };

  Kind What = Kind::None;
  uint8_t Dwords = 1;
  Half Part = Half::None;
  bool Neg = false;
  bool Abs = false;
  bool Sext = false;
  /// True for a constant that was printed as a floating-point number (inline
  /// constants 0.5, 1.0, ... 0.15915494): FloatValue holds it, and the reader
  /// converts it to the format of its operation. Otherwise Value is the number:
  /// inline integers are sign-extended to 64 bits, 32-bit literals
  /// zero-extended (Literal is set; an f64 operation takes them as the high
  /// half).
  bool Float = false;
  bool Literal = false;
  uint16_t Index = 0;
  uint64_t Value = 0;
  double FloatValue = 0;
};

/// Data-parallel primitives: the lane that source 0 of each lane comes from.
struct DppControl {
  enum class Kind : uint8_t {
    None,
    QuadPerm, ///< Argument: four 2-bit selectors, lane 0 lowest
    RowShl,   ///< Argument: 1 to 15
    RowShr,
    RowRor,
    WaveShl,
    WaveShr,
    WaveRol,
    WaveRor,
    RowMirror,
    RowHalfMirror,
    RowBcast15, ///< row_bcast:15 of gfx9
    RowBcast31,
    RowShare, ///< row_share (gfx10+) and row_newbcast (gfx90a+)
    RowXmask,
    Dpp8 ///< Argument: eight 3-bit selectors, lane 0 lowest
  };
  Kind What = Kind::None;
  uint32_t Argument = 0;
  uint8_t RowMask = 0xf;
  uint8_t BankMask = 0xf;
  bool BoundControl = false; ///< lanes without a source read 0
  bool FetchInactive = false;
};

/// Sub-dword addressing of gfx9 and gfx10.
struct SdwaControl {
  enum class Select : uint8_t {
    Byte0,
    Byte1,
    Byte2,
    Byte3,
    Word0,
    Word1,
    Dword
  };
  enum class Unused : uint8_t { Pad, Sext, Preserve };
  bool Present = false;
  Select Destination = Select::Dword;
  Unused Rest = Unused::Pad;
  Select Source0 = Select::Dword;
  Select Source1 = Select::Dword;
};

/// Modifiers as LLVM prints them. An instruction with a modifier that its
/// handler does not implement must be refused: see OpcodeInfo::Allowed.
enum Modifier : uint32_t {
  ModClamp = 1u << 0,
  ModOmod = 1u << 1, ///< mul:2, mul:4, div:2
  ModOpSel = 1u << 2,
  ModOpSelHi = 1u << 3,
  ModNegLo = 1u << 4,
  ModNegHi = 1u << 5,
  ModOffset = 1u << 6,
  ModOffset01 = 1u << 7, ///< offset0:, offset1:
  ModReturn = 1u << 8,   ///< glc, sc0 or th:TH_ATOMIC_RETURN on an atomic:
                         ///< returns the old value
  ModCache =
      1u << 9, ///< glc, slc, dlc, nt, sc0, sc1, scc, th:, scope: no effect here
  ModOffen = 1u << 10,
  ModIdxen = 1u << 11,
  ModLds = 1u << 12,
  ModGds = 1u << 13,
  ModMatrix = 1u << 14, ///< cbsz:, abid:, blgp:
  ModDpp = 1u << 15,
  ModSdwa = 1u << 16,
  ModNeg = 1u << 17, ///< some operand has neg, abs or sext
  ModAbs = 1u << 18,
  ModSext = 1u << 19,
  ModTfe = 1u << 21,
  ModWaitExp = 1u << 22,  ///< wait_exp:, wait_vdst:...: no effect here
  ModByteSel = 1u << 23,  ///< byte_sel: of gfx12's fp8 conversions
  ModIndexKey = 1u << 24, ///< index_key: of sparse WMMA
  ModFormat = 1u << 25    ///< format: of tbuffer_
};

struct Instruction {
  Handler Execute = nullptr;
  uint32_t Size = 0;      ///< bytes
  uint32_t Modifiers = 0; ///< a mask of Modifier
  uint8_t OperandCount = 0;
  uint8_t Omod = 0; ///< 0 none, 1 *2, 2 *4, 3 /2
  uint8_t OpSel = 0;
  uint8_t OpSelHi = 0; ///< as printed; by default all ones for packed math
  uint8_t NegLo = 0;   ///< also neg:[...] of the f64 MFMA
  uint8_t NegHi = 0;
  uint8_t Cbsz = 0, Abid = 0, Blgp = 0;
  uint8_t ByteSel = 0, IndexKey = 0;
  uint8_t Offset0 = 0, Offset1 = 0;
  BufferFormat Format;      ///< of tbuffer_
  bool EncodedVop3 = false; ///< printed with _e64
  DppControl Dpp;
  SdwaControl Sdwa;
  int64_t Offset = 0;
  uint64_t Address = 0;      ///< of the instruction
  uint64_t BranchTarget = 0; ///< of direct branches and s_call
  /// Operands as printed, with two additions: v_cmpx without a destination
  /// (gfx10+) gets exec as operand 0, v_dual_cndmask_b32 its implicit vcc_lo as
  /// operand 3.
  std::array<Operand, 7> Operands;
  /// Halves of a v_dual_ instruction of gfx11+: the outer instruction's Dual is
  /// the first half, whose Dual is the second. Handlers see plain mnemonics
  /// (v_mul_f32); sources are read before either result is written.
  std::unique_ptr<Instruction> Dual;
  std::string Mnemonic; ///< without _e32, _e64, _dpp, _sdwa
  std::string Text;     ///< as printed, for traces and faults

  bool has(Modifier M) const { return Modifiers & M; }
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_ISA_INSTRUCTION_H
