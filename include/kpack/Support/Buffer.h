//===- kpack/Support/Buffer.h - owned bytes from malloc ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owned, uninitialised bytes. From malloc, so that a C API can return them
// (release()) for the caller's free(), and so that large buffers grow in place.
// A failed allocation is a return value: no exceptions. Very large buffers ask
// for huge pages.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_BUFFER_H
#define KPACK_SUPPORT_BUFFER_H

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <sys/mman.h>
#include <utility>

namespace kpack {

class Buffer {
public:
  Buffer() = default;
  Buffer(Buffer &&Other) noexcept
      : Data(std::exchange(Other.Data, nullptr)),
        Length(std::exchange(Other.Length, 0)) {}
  Buffer &operator=(Buffer &&Other) noexcept {
    std::swap(Data, Other.Data);
    std::swap(Length, Other.Length);
    return *this;
  }
  ~Buffer() { std::free(Data); }

  /// Keeps the bytes that fit. Returns false, and changes nothing, if there is
  /// no memory. An empty buffer has a pointer too.
  bool resize(size_t Size) {
    void *Grown = std::realloc(Data, Size ? Size : 1);
    if (!Grown)
      return false;
    Data = static_cast<char *>(Grown);
    Length = Size;
    preferHugePages();
    return true;
  }

  char *data() { return Data; }
  const char *data() const { return Data; }
  size_t size() const { return Length; }
  std::string_view bytes() const { return std::string_view(Data, Length); }

  /// Returns the bytes, which the caller has to free().
  char *release() {
    Length = 0;
    return std::exchange(Data, nullptr);
  }

private:
  /// Page faults in fresh memory take as long as decompressing into it. Asks
  /// for huge pages if malloc maps the block separately (always for more than
  /// 32 MiB); a system without huge pages ignores that.
  void preferHugePages() {
    constexpr size_t MappedSize = size_t(32) << 20;
    constexpr size_t HugePage = size_t(2) << 20;
    if (Length <= MappedSize)
      return;
    char *Begin =
        Data +
        (HugePage - reinterpret_cast<uintptr_t>(Data) % HugePage) % HugePage;
    size_t Whole = static_cast<size_t>(Data + Length - Begin) / HugePage;
    int Error = errno;
    (void)::madvise(Begin, Whole * HugePage, MADV_HUGEPAGE);
    errno = Error;
  }

  char *Data = nullptr;
  size_t Length = 0;
};

} // namespace kpack

#endif // KPACK_SUPPORT_BUFFER_H
