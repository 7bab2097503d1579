//===- SoftGpu/Machine/Machine.h - emulated AMDGPU --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes kernels of AMDGPU code objects on the host, with the hardware's
// results bit for bit. A Machine is one GPU of one architecture. It is
// independent of HIP and ROCr; CodeObject.h loads kernels without them, and
// libsoftgpu_driver.so runs a Machine below an unmodified ROCm runtime.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_MACHINE_MACHINE_H
#define KPACK_SOFTGPU_MACHINE_MACHINE_H

#include "SoftGpu/Machine/MemoryMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kpack::softgpu {

/// A fault that ended a dispatch. If several workgroups fail, that of the first
/// in the grid, for any order of the threads. (A fault more than some 65,000
/// instructions after another one may be missed.)
struct Fault {
  enum class Kind {
    UnknownInstruction, ///< no semantics for this mnemonic or modifier
    Undecodable,        ///< not an instruction of this architecture
    MemoryAccess,       ///< outside of every range of the memory map
    MisalignedAccess,
    LdsAccess,        ///< outside of the workgroup's LDS
    UninitialisedLds, ///< LDS read before any write
    ScratchAccess,    ///< outside of the work-item's private segment
    Trap,             ///< s_trap: an assertion or __builtin_trap of the kernel
    InstructionLimit, ///< more than MachineOptions::InstructionLimit
    Deadlock,         ///< all live waves wait at a barrier that cannot complete
    BadDispatch       ///< invalid descriptor, sizes or packet
  };
  Kind What = Kind::BadDispatch;
  std::string Kernel;      ///< name, or the descriptor's address in hex
  uint64_t Pc = 0;         ///< address of the instruction; 0 before the first
  uint64_t PcOffset = 0;   ///< Pc from the kernel's entry
  std::string Instruction; ///< as llvm-mc prints it
  int Lane = -1;           ///< -1 if not of one lane
  uint64_t Address = 0;    ///< of the access, for kinds of memory faults
  std::array<uint32_t, 3> Workgroup{};
  unsigned Wave = 0; ///< in its workgroup
  std::string Detail;

  /// Returns one line: kind, kernel, pc, instruction, workgroup, lane, address.
  std::string message() const;
};

/// A tolerated fault: MachineOptions::AllowOutOfBounds.
struct Finding {
  Fault First;        ///< in the first workgroup of the grid
  uint64_t Count = 0; ///< accesses of this instruction, one per lane
};

struct MachineOptions {
  /// Worker threads; 0: one per core.
  unsigned Threads = 0;
  /// Limit of wave-instructions in a dispatch; 0: none.
  uint64_t InstructionLimit = 0;
  /// Report a read of LDS that the workgroup has not written.
  bool CheckUninitialisedLds = false;
  /// Report accesses that are not aligned to their element size.
  bool CheckAlignment = false;
  /// Let reads outside of the workgroup's LDS return zero and drop writes, like
  /// hardware, and report them when the dispatch has ended. By default such an
  /// access is a fault.
  bool AllowOutOfBounds = false;
  /// Write every executed instruction to stderr (one thread, in order).
  bool Trace = false;
  /// Called on any worker thread at s_sendmsg(MSG_INTERRUPT), by which device
  /// code wakes the host after it has changed a signal. If empty, the message
  /// is an instruction without semantics.
  std::function<void()> Interrupt;
};

/// One kernel launch, in the terms of an AQL packet (HSA Runtime Programmer's
/// Reference Manual 1.2, 2.8.6).
struct DispatchRequest {
  uint64_t KernelObject = 0;   ///< address of the 64-byte kernel descriptor
  uint64_t KernargAddress = 0; ///< in the memory map
  std::array<uint32_t, 3> GridSize{1, 1, 1}; ///< work-items
  std::array<uint16_t, 3> WorkgroupSize{1, 1, 1};
  uint32_t GroupSegmentSize = 0;   ///< bytes of LDS, static and dynamic
  uint32_t PrivateSegmentSize = 0; ///< bytes per work-item
  uint64_t PacketAddress =
      0; ///< the hsa_kernel_dispatch_packet_t; 0: create one
  uint64_t QueueAddress = 0; ///< the amd_queue_t; 0: none
  uint64_t DispatchId = 0;
  /// Start all workgroups, up to 1024, before waiting for any.
  bool Cooperative = false;
  std::string KernelName; ///< for messages only; may be empty
  /// Ends the dispatch early, without a fault, once it is true; may be null.
  const std::atomic<bool> *Cancel = nullptr;
};

struct DispatchResult {
  uint64_t Instructions = 0; ///< wave-instructions executed
  uint64_t Waves = 0;
  std::optional<Fault> Failure;
  std::vector<Finding> Findings; ///< one per instruction, in their order
};

/// An emulated GPU. Several threads may call dispatch() at once.
class Machine {
public:
  /// \p Processor is gfx90a, gfx942, gfx1030, gfx1100, gfx1201 or a relative
  /// that LLVM knows. \p Memory outlives the machine; device code accesses no
  /// other memory. (A dispatch packet that the machine creates is in it while
  /// its kernel runs.)
  static llvm::Expected<std::unique_ptr<Machine>>
  create(llvm::StringRef Processor, MemoryMap &Memory,
         MachineOptions Options = {});
  ~Machine();
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  /// Runs all workgroups and returns when they have ended or one has failed.
  DispatchResult dispatch(const DispatchRequest &Request);

  /// Drops decoded instructions of [Begin, End), after a change of the bytes or
  /// the end of the memory. No kernel may run there.
  void invalidateCode(uint64_t Begin, uint64_t End);

  /// Returns invalidateCode() as a function that may outlive the machine and
  /// then does nothing. For owners of code.
  std::function<void(uint64_t Begin, uint64_t End)> codeInvalidator() const;

  llvm::StringRef processor() const;

private:
  class Impl;
  explicit Machine(std::unique_ptr<Impl> I);
  std::unique_ptr<Impl> I;
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_MACHINE_MACHINE_H
