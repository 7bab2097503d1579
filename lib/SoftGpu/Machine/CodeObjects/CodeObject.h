//===- CodeObjects/CodeObject.h - kernels without ROCm's runtime *- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Our own loader of AMDGPU code objects (versions 4 to 6): maps the segments,
// applies dynamic relocations, finds kernels and variables, lays out explicit
// and hidden kernel arguments. For architectures that Debian's runtime does not
// know (gfx942, gfx1100, gfx1201), and for tests.
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

/// One argument as the NT_AMDGPU_METADATA note describes it.
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
  uint32_t PrivateSegmentSize = 0; ///< bytes a work-item, fixed part
  bool DynamicStack = false;
  std::vector<KernelArgument> Arguments;
};

/// A device variable or other data symbol.
struct Variable {
  uint64_t Address = 0;
  uint64_t Size = 0;
};

/// Owns the loaded image, which is in the memory map from load() to
/// destruction. Machines that have launched from it forget its code then.
/// launch() may be called from several threads at once.
class CodeObject {
public:
  /// \p Elf is copied. Errors: not an AMDGPU code object, a malformed one, an
  /// undefined symbol.
  static llvm::Expected<std::unique_ptr<CodeObject>>
  load(llvm::ArrayRef<uint8_t> Elf, MemoryMap &Memory);
  ~CodeObject();
  CodeObject(const CodeObject &) = delete;
  CodeObject &operator=(const CodeObject &) = delete;

  /// "gfx90a", without features; from the target id in the metadata note.
  llvm::StringRef processor() const { return Processor; }

  const llvm::StringMap<Kernel> &kernels() const { return Kernels; }
  std::optional<Variable> variable(llvm::StringRef Name) const;

  /// Launches \p Name as hipLaunchKernel would: \p Arguments are the explicit
  /// ones, one blob each in order; hidden ones are filled in here. Errors: no
  /// such kernel, arguments that do not fit it, a GPU of another processor.
  /// What goes wrong on the GPU is in the result.
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
  std::mutex Lock; ///< of Users
  /// Machine::codeInvalidator() of every machine that has launched.
  std::map<const Machine *, std::function<void(uint64_t, uint64_t)>> Users;
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_MACHINE_CODEOBJECTS_CODEOBJECT_H
