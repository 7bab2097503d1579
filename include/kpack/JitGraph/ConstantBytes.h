//===- JitGraph/ConstantBytes.h - shared bytes of a constant ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copied once from the program, and then shared by the graph, its plan and, on
// a CPU, the kernels that read them. Weights are most of a model; each further
// copy would take their memory, and longer than the rest of prepare().
// Immutable.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_CONSTANTBYTES_H
#define KPACK_JITGRAPH_CONSTANTBYTES_H

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace kpack::jit {

class ConstantBytes {
public:
  /// At least the size of the kernels' vectors.
  static constexpr std::align_val_t Alignment{64};

  ConstantBytes() = default;
  explicit ConstantBytes(std::span<const std::byte> Bytes)
      : Size(Bytes.size()), First(allocate(Bytes.size()), release) {
    if (!Bytes.empty())
      std::memcpy(First.get(), Bytes.data(), Bytes.size());
  }

  const std::byte *data() const { return First.get(); }
  size_t size() const { return Size; }
  const std::byte *begin() const { return data(); }
  const std::byte *end() const { return data() + Size; }
  const std::byte &operator[](size_t I) const { return data()[I]; }
  /// The address of the elements, which live as long as a copy of the pointer.
  const std::shared_ptr<std::byte> &shared() const { return First; }

  bool operator==(const ConstantBytes &Other) const {
    return Size == Other.Size &&
           (First == Other.First || std::equal(begin(), end(), Other.begin()));
  }

private:
  static std::byte *allocate(size_t Bytes) {
    return static_cast<std::byte *>(::operator new(Bytes, Alignment));
  }
  static void release(std::byte *Bytes) { ::operator delete(Bytes, Alignment); }

  size_t Size = 0;
  std::shared_ptr<std::byte> First;
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_CONSTANTBYTES_H
