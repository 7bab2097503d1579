//===- Control.cpp - branches, barriers and the end of a wave -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control flow of a wave: branches and calls, barriers, traps, messages, waits,
// and instructions that only affect the pipeline, which do nothing here.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/Lanes/Lanes.h"
#include "SoftGpu/Machine/Opcodes.h"
#include <atomic>

namespace kpack::softgpu {

//===- Branches -----------------------------------------------------------===//

static void branch(Wave &W, const Instruction &I) { W.Pc = I.BranchTarget; }

template <bool (*Condition)(const Wave &)>
static void branchIf(Wave &W, const Instruction &I) {
  if (Condition(W))
    W.Pc = I.BranchTarget;
}

static bool sccIsSet(const Wave &W) { return W.Scc; }
static bool sccIsClear(const Wave &W) { return !W.Scc; }
static bool vccIsZero(const Wave &W) { return W.vcc() == 0; }
static bool vccIsNotZero(const Wave &W) { return W.vcc() != 0; }
static bool execIsZero(const Wave &W) { return W.exec() == 0; }
static bool execIsNotZero(const Wave &W) { return W.exec() != 0; }

static void getPc(Wave &W, const Instruction &I) {
  writeScalar64(W, I.Operands[0], W.Pc);
}

static void setPc(Wave &W, const Instruction &I) {
  W.Pc = scalarBits64(W, I.Operands[0]);
}

static void swapPc(Wave &W, const Instruction &I) {
  uint64_t Target = scalarBits64(W, I.Operands[1]);
  writeScalar64(W, I.Operands[0], W.Pc);
  W.Pc = Target;
}

static void call(Wave &W, const Instruction &I) {
  writeScalar64(W, I.Operands[0], W.Pc);
  W.Pc = I.BranchTarget;
}

//===- Program end and traps ---------------------------------------------===//

static void endProgram(Wave &W, const Instruction &) {
  W.Status = Wave::State::Ended;
}

static void codeEnd(Wave &W, const Instruction &I) {
  W.fault(Fault::Kind::Undecodable, I,
          "execution ran past the end of the code");
}

/// Trap 2 is __builtin_trap. Trap 3 is __builtin_debugtrap, which continues if
/// no debugger is attached (AMDGPUUsage, "Trap Handler ABI").
static void trap(Wave &W, const Instruction &I) {
  constexpr uint64_t DebugTrap = 3;
  if (I.Operands[0].Value != DebugTrap)
    W.fault(Fault::Kind::Trap, I,
            "the kernel stopped itself with trap " +
                llvm::Twine(I.Operands[0].Value));
}

static void setHalt(Wave &W, const Instruction &I) {
  if (I.Operands[0].Value & 1)
    W.fault(Fault::Kind::Trap, I, "the kernel halted its wave");
}

static void sleep(Wave &W, const Instruction &) {
  W.Status = Wave::State::Yielded;
}

//===- Barriers and messages ----------------------------------------------===//

static void barrier(Wave &W, const Instruction &) {
  W.signalBarrier();
  W.waitBarrier();
}

/// True if the operand is the workgroup's barrier, -1. Faults for named
/// barriers.
static bool isWorkgroupBarrier(Wave &W, const Instruction &I) {
  const Operand &O = I.Operands[0];
  if (O.What == Operand::Kind::Constant && int16_t(O.Value) == -1)
    return true;
  W.fault(Fault::Kind::UnknownInstruction, I,
          "no semantics for barriers other than the workgroup's (-1)");
  return false;
}

static void barrierSignal(Wave &W, const Instruction &I) {
  if (isWorkgroupBarrier(W, I))
    W.signalBarrier();
}

static void barrierSignalIsFirst(Wave &W, const Instruction &I) {
  if (isWorkgroupBarrier(W, I))
    W.Scc = W.signalBarrier();
}

static void barrierWait(Wave &W, const Instruction &I) {
  if (isWorkgroupBarrier(W, I))
    W.waitBarrier();
}

static void sendMessage(Wave &W, const Instruction &I) {
  constexpr uint64_t Interrupt = 1, DeallocateVgprs = 3;
  uint64_t Message = I.Operands[0].Value;
  const auto &WakeHost = W.Group->Launch->Options->Interrupt;
  if (Message == Interrupt && WakeHost)
    return WakeHost();
  if (Message != DeallocateVgprs)
    W.fault(Fault::Kind::UnknownInstruction, I, "no semantics for the message");
}

//===- Waits --------------------------------------------------------------===//

/// Every access is complete when its handler returns, but the host may execute
/// a later load before an earlier store. A wave that has waited for the stores
/// of its workgroup relies on their visibility.
static void waitForStores(Wave &W, const Instruction &) {
  if (!W.Group->HasPendingStores)
    return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  W.Group->HasPendingStores = false;
}

/// On gfx9, vmcnt counts stores too; gfx10 and later have vscnt for them.
static void waitForCounters(Wave &W, const Instruction &I) {
  bool IsForAll = I.Operands[0].Value == 0; // vmcnt(0)
  if (IsForAll && W.Isa->isGfx9())
    waitForStores(W, I);
}

//===- Relative vector registers (gfx9) -----------------------------------===//

/// Set in Wave::GprIndexMode while the mode is on, so that the mode with no
/// operand selected differs from off.
static constexpr uint8_t GprIndexEnabled = 0x80;

/// M0 has the index in bits [7:0] and the mode in [15:12].
static void setGprIndex(Wave &W, uint32_t Index, uint32_t Mode) {
  uint32_t &Register = W.Scalars[M0];
  Register = (Register & ~0xf0ffu) | (Index & 0xff) | (Mode & 15) << 12;
}

static void gprIndexOn(Wave &W, const Instruction &I) {
  auto Mode = uint8_t(I.Operands[1].Value & 15);
  setGprIndex(W, scalarBits32(W, I.Operands[0]), Mode);
  W.GprIndexMode = GprIndexEnabled | Mode;
}

static void gprIndexOff(Wave &W, const Instruction &) { W.GprIndexMode = 0; }

static void gprIndexMode(Wave &W, const Instruction &I) {
  auto Mode = uint8_t(I.Operands[0].Value & 15);
  setGprIndex(W, W.Scalars[M0], Mode);
  if (W.GprIndexMode)
    W.GprIndexMode = GprIndexEnabled | Mode;
}

static void gprIndexIndex(Wave &W, const Instruction &I) {
  setGprIndex(W, scalarBits32(W, I.Operands[0]), W.Scalars[M0] >> 12);
}

//===----------------------------------------------------------------------===//

static constexpr OpcodeInfo Table[] = {
    {"s_branch", branch, 0},
    {"s_cbranch_scc0", branchIf<sccIsClear>, 0},
    {"s_cbranch_scc1", branchIf<sccIsSet>, 0},
    {"s_cbranch_vccz", branchIf<vccIsZero>, 0},
    {"s_cbranch_vccnz", branchIf<vccIsNotZero>, 0},
    {"s_cbranch_execz", branchIf<execIsZero>, 0},
    {"s_cbranch_execnz", branchIf<execIsNotZero>, 0},
    {"s_getpc_b64", getPc, 0},
    {"s_setpc_b64", setPc, 0},
    {"s_swappc_b64", swapPc, 0},
    {"s_call_b64", call, 0},

    {"s_endpgm", endProgram, 0},
    {"s_code_end", codeEnd, 0},
    {"s_trap", trap, 0},
    {"s_sethalt", setHalt, 0},
    {"s_sleep s_sleep_var", sleep, 0},

    {"s_barrier", barrier, 0},
    {"s_barrier_signal", barrierSignal, 0},
    {"s_barrier_signal_isfirst", barrierSignalIsFirst, 0},
    {"s_barrier_wait", barrierWait, 0},
    {"s_sendmsg", sendMessage, 0},

    {"s_set_gpr_idx_on", gprIndexOn, 0},
    {"s_set_gpr_idx_off", gprIndexOff, 0},
    {"s_set_gpr_idx_mode", gprIndexMode, 0},
    {"s_set_gpr_idx_idx", gprIndexIndex, 0},

    // Counters of outstanding accesses, and stalls.
    {"s_waitcnt", waitForCounters, 0},
    {"s_waitcnt_vscnt s_wait_idle s_wait_storecnt s_wait_storecnt_dscnt",
     waitForStores, 0},
    {"s_waitcnt_vmcnt s_waitcnt_expcnt s_waitcnt_lgkmcnt s_waitcnt_depctr "
     "s_wait_alu "
     "s_wait_event s_wait_loadcnt s_wait_samplecnt s_wait_bvhcnt "
     "s_wait_expcnt s_wait_dscnt s_wait_kmcnt s_wait_loadcnt_dscnt "
     "s_delay_alu s_nop",
     doNothing, 0},

    // Hints and performance counters.
    {"s_clause s_version s_inst_prefetch s_set_inst_prefetch_distance "
     "s_setprio s_wakeup s_incperflevel s_decperflevel s_ttracedata "
     "s_ttracedata_imm",
     doNothing, 0},

    // Caches; memory is coherent.
    {"s_icache_inv s_dcache_inv s_dcache_inv_vol s_dcache_wb "
     "s_dcache_wb_vol s_gl1_inv",
     doNothing, 0},
};

llvm::ArrayRef<OpcodeInfo> controlOpcodes() { return Table; }

} // namespace kpack::softgpu
