//===- CodeObjects/CodeObject.h - loader of AMDGPU code objects -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Our loader of AMDGPU code objects (versions 4 to 6): maps the segments,
// applies dynamic relocations, finds kernels and variables, lays out explicit
// and hidden kernel arguments. For architectures that Debian's runtime does not
// support (gfx942, gfx1100, gfx1201), and for tests.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_MACHINE_CODEOBJECTS_CODEOBJECT_H
#define KPACK_SOFTGPU_MACHINE_CODEOBJECTS_CODEOBJECT_H

#include "SoftGpu/Machine/Machine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <map>
#include <mutex>

namespace kpack::softgpu {

/// An argument in the NT_AMDGPU_METADATA note.
struct KernelArgument {
  uint32_t Offset = 0;
  uint32_t Size = 0;
  std::string
      ValueKind; ///< "global_buffer", "by_value", "hidden_block_count_x"...
};

struct Kernel {
  std::string Name;
  uint64_t Descriptor = 0; ///< address of the loaded descriptor
  uint32_t KernargSize = 0;
  uint32_t GroupSegmentSize = 0;   ///< static LDS
  uint32_t PrivateSegmentSize = 0; ///< bytes per work-item, fixed part
  bool DynamicStack = false;
  std::vector<KernelArgument> Arguments;
};

/// A device variable or other data symbol.
struct Variable {
  uint64_t Address = 0;
  uint64_t Size = 0;
};

/// Owns the loaded image, which is in the memory map from load() to
/// destruction. The destructor also drops its code from the machines that have
/// launched it. Several threads may call launch() at once.
class CodeObject {
public:
  /// Copies \p Elf. Fails if it is not an AMDGPU code object, is malformed, or
  /// has an undefined symbol.
  static llvm::Expected<std::unique_ptr<CodeObject>>
  load(llvm::ArrayRef<uint8_t> Elf, MemoryMap &Memory);
  ~CodeObject();
  CodeObject(const CodeObject &) = delete;
  CodeObject &operator=(const CodeObject &) = delete;

  /// Returns the processor in the metadata's target id, without features:
  /// "gfx90a".
  llvm::StringRef processor() const { return Processor; }

  const llvm::StringMap<Kernel> &kernels() const { return Kernels; }
  std::optional<Variable> variable(llvm::StringRef Name) const;

  /// Launches \p Name like hipLaunchKernel. \p Arguments are the explicit ones,
  /// one blob each in order; hidden ones are filled in here. Fails if there is
  /// no such kernel, the arguments do not fit it, or the GPU has another
  /// processor. Errors on the GPU are in the result.
  llvm::Expected<DispatchResult>
  launch(Machine &Gpu, llvm::StringRef Name, std::array<uint32_t, 3> Blocks,
         std::array<uint32_t, 3> Threads, uint32_t DynamicLds,
         llvm::ArrayRef<llvm::ArrayRef<uint8_t>> Arguments);

private:
  friend class CodeObjectLoader;
  explicit CodeObject(MemoryMap &Memory) : Memory(Memory) {}
  void rememberMachine(Machine &Gpu);

  MemoryMap &Memory;
  uint8_t *Image = nullptr; ///< mmap'ed, page-aligned
  size_t ImageSize = 0;
  std::string Processor;
  llvm::StringMap<Kernel> Kernels;
  llvm::StringMap<Variable> Variables;
  std::mutex Lock; ///< guards Users
  /// Machine::codeInvalidator() of every machine that has launched a kernel.
  std::map<const Machine *, std::function<void(uint64_t, uint64_t)>> Users;
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_MACHINE_CODEOBJECTS_CODEOBJECT_H
