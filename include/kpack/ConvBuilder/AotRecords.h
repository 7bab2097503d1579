//===- ConvBuilder/AotRecords.h - records of linked-in kernels --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records of kernels that make_conv_instance<>() of Instance.h compiled with
// the program: the values of each kernel, and a function that launches it.
// Records are constants whose addresses lie in a section of the program or
// library. So they need no registration, and survive linkers that drop
// unreferenced sections.
//
//   AotRecords Mine = aotRecords();         the records of the calling module
//   if (const AotRecord *R = Mine.find(kernelHashOf(Sig, How), "gfx942", Text))
//     R->Launch(Grid, Block, Arguments, Stream);
//
// Each processor for which the values are valid has a record, even if the
// program was not compiled for it. In that case the launch fails.
//
// Sibling: Emit.h, kernels that are compiled on demand; the texts are the same.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_AOTRECORDS_H
#define KPACK_CONVBUILDER_AOTRECORDS_H

#include <cstdint>
#include <string_view>

namespace kpack::conv {

/// Launches one step (KernelStep) on the calling thread's device. Takes the
/// grid in work-groups in three dimensions, the threads of a work-group, bytes
/// of LDS in addition to the kernel's static LDS, the bytes of its argument
/// (KernelLaunch), and a hipStream_t. Returns a hipError_t; 0 is success.
/// Thread-safe.
using AotLaunch = int(int Step, const std::uint32_t *Grid, std::uint32_t Block,
                      std::uint32_t Lds, void *Arguments, void *Stream);

/// One kernel for one processor. Read-only; points to constants of its module.
struct AotRecord {
  std::uint32_t Version; ///< of this struct: RecordVersion
  std::uint32_t TextSize;
  std::uint64_t Hash; ///< kernelHashOf(): the number in the kernel's symbol
  /// The lines of the note .note.kpack.conv of a compiled kernel: schema,
  /// symbol, signature, algorithm, processor. Each ends with a line feed.
  const char *Text;
  const char *Processor; ///< without features
  AotLaunch *Launch;

  static constexpr std::uint32_t RecordVersion = 1;
  std::string_view text() const { return {Text, TextSize}; }
};

/// An array of addresses of records in one module. (Addresses, because
/// compilers may pad the records themselves.)
class AotRecords {
public:
  using Entry = const AotRecord *const;

  constexpr AotRecords() = default;
  constexpr AotRecords(Entry *First, Entry *Last) : First(First), Last(Last) {}

  constexpr Entry *begin() const { return First; }
  constexpr Entry *end() const { return Last; }

  /// Returns null if there is no such record. \p Text is the whole text, since
  /// hashes may collide.
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
// The linker defines these symbols for the section, in each module separately.
extern "C" __attribute__((weak, visibility("hidden"))) AotRecords::Entry
    KpackConvAotFirst[] __asm__("__start_kpack_conv_aot");
extern "C" __attribute__((weak, visibility("hidden"))) AotRecords::Entry
    KpackConvAotLast[] __asm__("__stop_kpack_conv_aot");
} // namespace detail

/// Returns the records of the program or library whose code calls this, without
/// those of other modules; empty if it has none.
[[gnu::always_inline]] static inline AotRecords aotRecords() {
  return {static_cast<AotRecords::Entry *>(detail::KpackConvAotFirst),
          static_cast<AotRecords::Entry *>(detail::KpackConvAotLast)};
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_AOTRECORDS_H
