//===- TestFolder.h - temporary directory, cache entries --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A temporary directory that goes away with the test, and entries to put in it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_JIT_TESTFOLDER_H
#define KPACK_UNITTESTS_JIT_TESTFOLDER_H

#include "Jit/Store/Store.h"

#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>

namespace kpack::jit {

class TestFolder : public testing::Test {
protected:
  TestFolder() {
    std::string Pattern = testing::TempDir() + "kpack-jit-XXXXXX";
    Folder = ::mkdtemp(Pattern.data());
  }
  ~TestFolder() override {
    std::error_code Ignored;
    std::filesystem::permissions(Folder, std::filesystem::perms::owner_all,
                                 Ignored);
    std::filesystem::remove_all(Folder, Ignored);
  }

  std::unique_ptr<Store> open(bool ReadOnly = false) {
    StoreOptions Options;
    Options.Directory = Folder + "/cache";
    Options.ReadOnly = ReadOnly;
    auto Opened = Store::open(Options);
    EXPECT_TRUE(Opened.ok()) << Opened.status().message();
    return Opened.ok() ? std::move(*Opened) : nullptr;
  }

  static KeyRecord key(const std::string &Source) {
    return KeyBuilder("test 1").add("source", Source).finish();
  }
  static EntryInfo info(const std::string &Source) {
    EntryInfo Info;
    Info.Key = key(Source);
    Info.Name = "kernel of " + Source;
    Info.Kind = "shared-object";
    Info.Target = "gfx90a";
    Info.Symbol = "symbol";
    Info.Producer = "the test";
    Info.Log = "a warning";
    Info.Created = 1700000000;
    Info.CompileMilliseconds = 1234;
    return Info;
  }

  std::string pathOf(const std::string &Source) {
    const std::string Hex = key(Source).hex();
    return Folder + "/cache/objects/" + Hex.substr(0, 2) + "/" + Hex + ".entry";
  }
  static std::string read(const std::string &Path) {
    std::ifstream In(Path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(In), {});
  }
  static void write(const std::string &Path, const std::string &Bytes) {
    std::ofstream(Path, std::ios::binary) << Bytes;
  }
  static std::string payload(const StoredEntry &Entry) {
    std::string Bytes(Entry.PayloadSize, '\0');
    EXPECT_EQ(::pread(Entry.File.get(), Bytes.data(), Bytes.size(), 0),
              ssize_t(Bytes.size()));
    return Bytes;
  }

  std::string Folder;
};

} // namespace kpack::jit

#endif // KPACK_UNITTESTS_JIT_TESTFOLDER_H
