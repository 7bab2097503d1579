//===- rocm-tree-fuzzer.cpp - fuzzer of kpack-run --rocm's file readers ---===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `kpack-run --rocm=TREE` reads of a program and of the libraries that the
// emulated driver needs, up to the command that would be started. The tree has
// no file with content: it is made once, and what is written for an input is
// removed after it.
//
//===----------------------------------------------------------------------===//
#include "../../lib/SoftGpu/Run/RocmTree.h"
#include "../InputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace llvm;

namespace {

/// A folder with an empty ROCm in it.
class Tree {
public:
  Tree() {
    SmallString<128> Made;
    if (sys::fs::createUniqueDirectory("rocm-tree-fuzzer", Made))
      std::abort();
    Folder = Made.str().str();
    std::string Libraries = Folder + "/tree/usr/lib/x86_64-linux-gnu";
    std::filesystem::create_directories(Libraries);
    for (const char *Name : {"libhsa-runtime64.so.1", "libamdhip64.so.6",
                             "libc.so.6", "ld-linux-x86-64.so.2"})
      std::ofstream(Libraries + "/" + Name);
  }
  ~Tree() { std::filesystem::remove_all(Folder); }

  std::string root() const { return Folder + "/tree"; }
  /// An empty one.
  std::string run() const {
    std::string Run = Folder + "/run";
    std::filesystem::remove_all(Run);
    std::filesystem::create_directory(Run);
    return Run;
  }

private:
  std::string Folder;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const Tree Rocm;
  static const InputFile Program;
  std::string Path = Program.with({reinterpret_cast<const char *>(Data), Size});
  Expected<std::vector<std::string>> Command =
      kpack::run::withRocm(Rocm.root(), {Path}, /*Driver=*/Path, Rocm.run());
  if (!Command)
    consumeError(Command.takeError());
  else if (Command->empty())
    std::abort();
  return 0;
}
