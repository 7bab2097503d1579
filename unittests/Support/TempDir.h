//===- TempDir.h - temporary directory for a test ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fresh directory that goes away with everything in it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_SUPPORT_TEMPDIR_H
#define KPACK_UNITTESTS_SUPPORT_TEMPDIR_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace kpack::test {

class TempDir {
public:
  TempDir() {
    std::string Name =
        (std::filesystem::temp_directory_path() / "kpack-test-XXXXXX").string();
    Path = ::mkdtemp(Name.data());
  }
  ~TempDir() { std::filesystem::remove_all(Path); }
  TempDir(const TempDir &) = delete;
  TempDir &operator=(const TempDir &) = delete;

  std::string file(std::string_view Name) const {
    return (Path / Name).string();
  }
  size_t countFiles() const {
    std::filesystem::directory_iterator It(Path);
    return static_cast<size_t>(std::distance(begin(It), end(It)));
  }

private:
  std::filesystem::path Path;
};

inline std::string readFile(const std::string &Path) {
  std::ifstream In(Path, std::ios::binary);
  std::stringstream Bytes;
  Bytes << In.rdbuf();
  return Bytes.str();
}

inline void writeFile(const std::string &Path, std::string_view Bytes) {
  std::ofstream(Path, std::ios::binary) << Bytes;
}

} // namespace kpack::test

#endif // KPACK_UNITTESTS_SUPPORT_TEMPDIR_H
