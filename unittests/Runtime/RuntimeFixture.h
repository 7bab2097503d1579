//===- RuntimeFixture.h - fixture: archives and markers ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder of its own for each test, archives and markers to put into it, and
// an environment without ROCM_KPACK_* in front of and behind each test. Knows
// neither of the two C APIs: their headers exclude each other.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_RUNTIME_RUNTIMEFIXTURE_H
#define KPACK_UNITTESTS_RUNTIME_RUNTIMEFIXTURE_H

#include "kpack/Archive/ArchiveWriter.h"
#include "kpack/Archive/Marker.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace kpack::testing {

struct Kernel {
  std::string Binary, Arch, Bytes;
};

struct ArchiveSpec {
  std::vector<Kernel> Kernels = {};
  CompressionScheme Scheme = CompressionScheme::ZstdPerKernel;
  /// kernel_name and archive_id.
  std::vector<std::pair<std::string, std::string>> Ids = {};
  std::vector<std::string> MoreArchitectures = {};
};

class RuntimeFixture : public ::testing::Test {
protected:
  void SetUp() override {
    clearEnvironment();
    std::string Template =
        (std::filesystem::temp_directory_path() / "kpack-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(Template.data()), nullptr);
    Folder = std::filesystem::canonical(Template).string();
  }

  void TearDown() override {
    clearEnvironment();
    std::error_code Ignored;
    std::filesystem::remove_all(Folder, Ignored);
  }

  static void clearEnvironment() {
    for (const char *Name : {"ROCM_KPACK_PATH", "ROCM_KPACK_PATH_PREFIX",
                             "ROCM_KPACK_DISABLE", "ROCM_KPACK_DEBUG"})
      unsetenv(Name);
  }

  static void set(const char *Name, const std::string &Value) {
    setenv(Name, Value.c_str(), 1);
  }

  /// \p Name in the test's folder.
  std::string path(const std::string &Name) const {
    return Folder + "/" + Name;
  }

  /// Writes an archive and returns its path.
  std::string archive(const std::string &Name, const ArchiveSpec &Spec) const {
    std::string Path = path(Name);
    std::filesystem::create_directories(
        std::filesystem::path(Path).parent_path());
    ArchiveWriterOptions Options;
    Options.GroupName = "test";
    Options.Scheme = Spec.Scheme;
    Options.Threads = 1;
    Result<std::unique_ptr<ArchiveWriter>> W =
        ArchiveWriter::create(Path, Options);
    EXPECT_TRUE(W.ok()) << W.status().message();
    for (const Kernel &K : Spec.Kernels) {
      Status S = (*W)->add(K.Binary, K.Arch, K.Bytes);
      EXPECT_TRUE(S.ok()) << S.message();
    }
    for (const auto &[KernelName, Id] : Spec.Ids)
      (*W)->setArchiveId(KernelName, Id);
    for (const std::string &Arch : Spec.MoreArchitectures)
      (*W)->addArchitecture(Arch);
    Status S = (*W)->commit();
    EXPECT_TRUE(S.ok()) << S.message();
    return Path;
  }

  /// Writes any file and returns its path.
  std::string file(const std::string &Name, const std::string &Bytes) const {
    std::string Path = path(Name);
    std::filesystem::create_directories(
        std::filesystem::path(Path).parent_path());
    std::ofstream(Path, std::ios::binary) << Bytes;
    return Path;
  }

  static std::string contents(const std::string &Path) {
    std::ifstream In(Path, std::ios::binary);
    return {std::istreambuf_iterator<char>(In), {}};
  }

  static std::string marker(const std::string &KernelName,
                            const std::vector<std::string> &Paths,
                            const std::string &Id = "") {
    Marker M;
    M.KernelName = KernelName;
    M.SearchPaths = Paths;
    M.ArchiveId = Id;
    Result<std::string> Bytes = encodeMarker(M);
    EXPECT_TRUE(Bytes.ok()) << Bytes.status().message();
    return *Bytes;
  }

  std::string Folder;
};

} // namespace kpack::testing

#endif // KPACK_UNITTESTS_RUNTIME_RUNTIMEFIXTURE_H
