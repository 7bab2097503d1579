//===- MemoryFixture.h - fixture: waves with memory -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// WaveFixture with a writable and a read-only range of global memory, and with
// a pattern in all memories: no two neighbouring bytes are the same, and half
// of them have their sign bit set.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_SOFTGPU_MACHINE_MEMORYFIXTURE_H
#define KPACK_UNITTESTS_SOFTGPU_MACHINE_MEMORYFIXTURE_H

#include "WaveFixture.h"
#include <string>

namespace kpack::softgpu {

class MemoryFixture : public WaveFixture {
protected:
  static constexpr unsigned StoreBytes = 4096;

  MemoryFixture() : Store(StoreBytes), Constants(256) {
    fillMemories();
    Memory.add({global(), global() + StoreBytes, true, "allocation"});
    Memory.add({constants(), constants() + 256, false, "constants"});
  }

  /// As WaveFixture::use(), with the pattern in all memories.
  void start(const char *Processor, bool Wave64 = false) {
    use(Processor, Wave64);
    fillMemories();
  }

  uint64_t global() const { return reinterpret_cast<uint64_t>(&Store[0]); }
  uint64_t constants() const {
    return reinterpret_cast<uint64_t>(&Constants[0]);
  }
  uint8_t *getPrivate(unsigned Lane) {
    return W.Private + size_t(Lane) * W.PrivateBytes;
  }
  template <typename T> T &at(unsigned Offset) {
    return reinterpret_cast<T &>(Store[Offset]);
  }
  /// At any offset.
  template <typename T> T copyAt(unsigned Offset) const {
    T Value;
    std::memcpy(&Value, &Store[Offset], sizeof Value);
    return Value;
  }
  template <typename T> T &lds(unsigned Offset) {
    return reinterpret_cast<T &>(Group.Lds[Offset]);
  }

  static uint8_t pattern(unsigned Index) {
    return uint8_t((Index * 2654435761u >> 17) | (Index & 1) << 7);
  }

  /// "v8" or "v[8:11]".
  static std::string registers(char File, unsigned First, unsigned Count) {
    std::string Number = std::to_string(First);
    if (Count == 1)
      return File + Number;
    return std::string(1, File) + "[" + Number + ":" +
           std::to_string(First + Count - 1) + "]";
  }

  void setS64(unsigned Register, uint64_t Value) {
    s(Register) = uint32_t(Value);
    s(Register + 1) = uint32_t(Value >> 32);
  }
  /// A raw buffer over the writable range in s[8:11].
  void setBuffer(uint64_t Base, uint32_t Records, uint32_t Stride = 0,
                 uint32_t Word3 = 3u << 28) {
    setS64(8, Base | uint64_t(Stride) << 48);
    s(10) = Records;
    s(11) = Word3;
  }

  std::vector<uint8_t> Store, Constants;

private:
  void fillMemories() {
    for (unsigned N = 0; N < Store.size(); ++N)
      Store[N] = pattern(N);
    for (unsigned N = 0; N < Constants.size(); ++N)
      Constants[N] = pattern(N + 77);
    for (unsigned N = 0; N < Group.Lds.size(); ++N)
      Group.Lds[N] = pattern(N + 1234);
    for (unsigned N = 0; W.Private && N < W.PrivateBytes * 64; ++N)
      W.Private[N] = pattern(N + 4321);
  }
};

} // namespace kpack::softgpu

#endif // KPACK_UNITTESTS_SOFTGPU_MACHINE_MEMORYFIXTURE_H
