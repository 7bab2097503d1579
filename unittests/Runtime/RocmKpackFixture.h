//===- RocmKpackFixture.h - fixture of kpack_load_code_object() -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tests of kpack_load_code_object() have in common.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_RUNTIME_ROCMKPACKFIXTURE_H
#define KPACK_UNITTESTS_RUNTIME_ROCMKPACKFIXTURE_H

#include "RuntimeFixture.h"

#include "rocm_kpack/kpack.h"

#include <memory>

namespace kpack::testing {

struct Loaded {
  kpack_error_t Error;
  std::string Bytes;
};

class RocmKpackFixture : public RuntimeFixture {
protected:
  struct Destroy {
    void operator()(kpack_cache_t C) const { kpack_cache_destroy(C); }
  };
  using Cache = std::unique_ptr<kpack_cache, Destroy>;

  static Cache newCache() {
    kpack_cache_t C = nullptr;
    EXPECT_EQ(kpack_cache_create(&C), KPACK_SUCCESS);
    return Cache(C);
  }

  /// Loads for the binary \p BinaryPath, "bin/app" in the test's folder unless
  /// given; on failure the outputs must not have been written.
  Loaded load(const Cache &C, const std::string &Marker,
              const std::vector<const char *> &Archs, uint32_t Index = 0,
              std::string BinaryPath = "") const {
    if (BinaryPath.empty())
      BinaryPath = path("bin/app");
    char Untouched;
    void *Bytes = &Untouched;
    size_t Size = 12345;
    kpack_error_t Error = kpack_load_code_object(
        C.get(), Marker.data(), BinaryPath.c_str(), Index, Archs.data(),
        Archs.size(), &Bytes, &Size);
    if (Error != KPACK_SUCCESS) {
      EXPECT_EQ(Bytes, &Untouched);
      EXPECT_EQ(Size, 12345u);
      return {Error, ""};
    }
    std::string Copy(static_cast<char *>(Bytes), Size);
    kpack_free_code_object(Bytes);
    return {Error, Copy};
  }

  /// The code object, or the number of the error as text.
  std::string loaded(const Cache &C, const std::string &Marker,
                     const std::vector<const char *> &Archs, uint32_t Index = 0,
                     std::string BinaryPath = "") const {
    Loaded L = load(C, Marker, Archs, Index, std::move(BinaryPath));
    return L.Error == KPACK_SUCCESS ? L.Bytes
                                    : "error " + std::to_string(L.Error);
  }

  /// The same with a cache of its own.
  std::string loadedOnce(const std::string &Marker,
                         const std::vector<const char *> &Archs,
                         uint32_t Index = 0) const {
    return loaded(newCache(), Marker, Archs, Index);
  }

  /// What \p Body writes to stderr.
  template <typename Function> static std::string captureStderr(Function Body) {
    ::testing::internal::CaptureStderr();
    Body();
    return ::testing::internal::GetCapturedStderr();
  }
};

} // namespace kpack::testing

#endif // KPACK_UNITTESTS_RUNTIME_ROCMKPACKFIXTURE_H
