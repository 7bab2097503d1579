//===- InputFile.h - a fuzzer's input as a file in memory -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For code under test that opens files by name. The file is in memory, and is
// written anew for each input.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_FUZZ_INPUTFILE_H
#define KPACK_FUZZ_INPUTFILE_H

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

class InputFile {
public:
  InputFile() : File(::memfd_create("input", MFD_CLOEXEC)) {
    if (File < 0)
      std::abort();
  }

  /// Its path, with \p Bytes in it.
  std::string with(std::string_view Bytes) const {
    if (::ftruncate(File, 0) != 0 ||
        ::pwrite(File, Bytes.data(), Bytes.size(), 0) != ssize_t(Bytes.size()))
      std::abort();
    return "/proc/self/fd/" + std::to_string(File);
  }

private:
  int File;
};

#endif // KPACK_FUZZ_INPUTFILE_H
