//===- KernelArguments.h - kernel arguments from a command line -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --arg=u32:5, --arg=in:FILE, ...: values, and buffers that are device memory
// while the kernel runs. docs/reference/softgpu-run.md lists the kinds.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_RUN_KERNELARGUMENTS_H
#define KPACK_LIB_SOFTGPU_RUN_KERNELARGUMENTS_H

#include "SoftGpu/Machine/MemoryMap.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kpack::softgpu {

/// Reads a file of the command line.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInput(llvm::StringRef Path);

class Arguments {
public:
  explicit Arguments(MemoryMap &Memory) : Memory(Memory) {}
  ~Arguments();
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;

  /// Appends the argument \p Text ("kind:..."); reads its file.
  llvm::Error add(llvm::StringRef Text);

  /// Returns the bytes of each argument, in order; valid until the next add().
  std::vector<llvm::ArrayRef<uint8_t>> values() const;

  /// Writes the files of out: and inout: buffers.
  llvm::Error writeOutputs() const;

private:
  struct Buffer {
    std::unique_ptr<llvm::WritableMemoryBuffer> Bytes;
    uint64_t Size = 0;
    std::string Output; ///< file to write; may be empty
  };

  llvm::Error addNumber(llvm::StringRef Kind, llvm::StringRef Digits);
  llvm::Error addFileValue(llvm::StringRef Path);
  llvm::Error addInput(llvm::StringRef Path, llvm::StringRef Output);
  llvm::Error addZeroed(llvm::StringRef Size, llvm::StringRef Output);
  void addValue(const void *Bytes, size_t Size);
  llvm::Error addBuffer(uint64_t Size, llvm::StringRef Contents,
                        llvm::StringRef Output);

  MemoryMap &Memory;
  std::vector<std::vector<uint8_t>> Values;
  std::vector<Buffer> Buffers;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_RUN_KERNELARGUMENTS_H
