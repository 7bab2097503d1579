//===- kpack/ConvBuilder/AotRecords.h - kernels in a program ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that were compiled with the program, by make_conv_instance<>() of
// Instance.h: what each was made of, and a function that launches it. They are
// constants, and their addresses lie in a section of the program or library:
// nothing has to register them, and they stay where a linker drops what is not
// referred to.
//
//   AotRecords Mine = aotRecords();         of the module that says this
//   if (const AotRecord *R = Mine.find(kernelHashOf(Sig, How), "gfx942", Text))
//     R->Launch(Grid, Block, Arguments, Stream);
//
// There is a record for each processor that the values are valid for, whether
// or not the program was compiled for it: the launch says so then.
//
// Sibling: Emit.h, kernels that are compiled when they are needed; the texts
// are the same.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_AOTRECORDS_H
#define KPACK_CONVBUILDER_AOTRECORDS_H

#include <cstdint>
#include <string_view>

namespace kpack::conv {

/// Launches one step (KernelStep) on the calling thread's device: work-groups
/// in three directions, threads of each, bytes of LDS beside the kernel's own,
/// the bytes of its argument (KernelLaunch), and a hipStream_t. Returns a
/// hipError_t; 0 is success. Thread-safe.
using AotLaunch = int(int Step, const std::uint32_t *Grid, std::uint32_t Block,
                      std::uint32_t Lds, void *Arguments, void *Stream);

/// One kernel for one processor. Read only, and of constants of its module.
struct AotRecord {
  std::uint32_t Version; ///< of this struct: RecordVersion
  std::uint32_t TextSize;
  std::uint64_t Hash; ///< kernelHashOf(): the number in the kernel's symbol
  /// The lines that a compiled kernel has in .note.kpack.conv: schema, symbol,
  /// signature, algorithm, processor. Each ends with a line feed.
  const char *Text;
  const char *Processor; ///< without features
  AotLaunch *Launch;

  static constexpr std::uint32_t RecordVersion = 1;
  std::string_view text() const { return {Text, TextSize}; }
};

/// Addresses of records that lie one after another, in the module that they are
/// of. (Compilers align records themselves as they like.)
class AotRecords {
public:
  using Entry = const AotRecord *const;

  constexpr AotRecords() = default;
  constexpr AotRecords(Entry *First, Entry *Last) : First(First), Last(Last) {}

  constexpr Entry *begin() const { return First; }
  constexpr Entry *end() const { return Last; }

  /// Null where there is none. \p Text is the whole: hashes may collide.
  const AotRecord *find(std::uint64_t Hash, std::string_view Processor,
                        std::string_view Text) const {
    for (const AotRecord *R : *this)
      if (R->Version == AotRecord::RecordVersion && R->Hash == Hash &&
          Processor == R->Processor && Text == R->text())
        return R;
    return nullptr;
  }

private:
  Entry *First = nullptr;
  Entry *Last = nullptr;
};

namespace detail {
// Linkers define them where the section is, in each module its own.
extern "C" __attribute__((weak, visibility("hidden"))) AotRecords::Entry
    KpackConvAotFirst[] __asm__("__start_kpack_conv_aot");
extern "C" __attribute__((weak, visibility("hidden"))) AotRecords::Entry
    KpackConvAotLast[] __asm__("__stop_kpack_conv_aot");
} // namespace detail

/// Of the program or library whose code calls this; empty where it has none.
/// Not of those that it is linked with: each has its own.
[[gnu::always_inline]] static inline AotRecords aotRecords() {
  return {static_cast<AotRecords::Entry *>(detail::KpackConvAotFirst),
          static_cast<AotRecords::Entry *>(detail::KpackConvAotLast)};
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_AOTRECORDS_H
