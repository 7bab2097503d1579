//===- CodeCache.h - decoded instructions by address ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction is decoded once, at its first execution. Worker threads
// share a cache: a hit only loads atomic pointers, a miss takes a lock. Target
// and wave size change the meaning of bytes, so each pair has its cache.
//
// The run loop:
//   CodeCache::Cursor At;
//   while (...) {
//     const Instruction *I = Cache.find(At, W.Pc);
//     if (!I && !(I = Cache.fetch(W.Pc, Problem))) ... fault ...
//     W.Pc += I->Size;
//     I->Execute(W, *I);
//   }
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_CODECACHE_H
#define KPACK_LIB_SOFTGPU_MACHINE_CODECACHE_H

#include "SoftGpu/Isa/Decoder.h"
#include "SoftGpu/Machine/Machine.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace kpack::softgpu {

/// All members are thread-safe.
class CodeCache {
public:
  /// The instructions that start in 4 KiB of code, by word.
  struct Page {
    std::array<std::atomic<const Instruction *>, 1024> Words{};
    ~Page();
  };

  /// The last page of a run loop; one for each thread. Valid as long as the
  /// cache.
  struct Cursor {
    uint64_t Number = ~uint64_t(0);
    const Page *Current = nullptr;
  };

  /// Why fetch() failed: parts of a Fault.
  struct Problem {
    Fault::Kind What = Fault::Kind::Undecodable;
    std::string Instruction; ///< as printed, if possible
    std::string Detail;
  };

  static llvm::Expected<std::unique_ptr<CodeCache>>
  create(const Target &Isa, bool Wave64, const MemoryMap &Memory);
  ~CodeCache();
  CodeCache(const CodeCache &) = delete;
  CodeCache &operator=(const CodeCache &) = delete;

  /// Returns the instruction at \p Pc if it was decoded before. Valid until
  /// invalidate().
  const Instruction *find(Cursor &Position, uint64_t Pc) const {
    if (Position.Number != Pc >> PageBits && !seek(Position, Pc))
      return nullptr;
    return Position.Current->Words[(Pc >> 2) & 1023].load(
        std::memory_order_acquire);
  }

  /// Decodes the instruction at \p Pc. Returns null and sets \p Why on failure.
  /// Reads only bytes of the memory map.
  const Instruction *fetch(uint64_t Pc, Problem &Why);

  /// Drops the instructions of [Begin, End). No kernel may run there.
  void invalidate(uint64_t Begin, uint64_t End);

private:
  static constexpr unsigned PageBits = 12;
  static constexpr unsigned LevelBits = 12; ///< three levels: 48-bit addresses
  struct Leaf {
    std::array<std::atomic<Page *>, 1 << LevelBits> Pages{};
  };
  struct Directory {
    std::array<std::atomic<Leaf *>, 1 << LevelBits> Leaves{};
    ~Directory();
  };

  CodeCache(std::unique_ptr<Decoder> D, const MemoryMap &Memory);
  bool seek(Cursor &Position, uint64_t Pc) const;
  Page &pageFor(uint64_t Pc);

  std::unique_ptr<Decoder> D; ///< under Lock
  const MemoryMap &Memory;
  std::mutex Lock;
  std::map<uint64_t, std::unique_ptr<Page>> Pages; ///< under Lock
  std::array<std::atomic<Directory *>, 1 << LevelBits> Directories{};
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_CODECACHE_H
