//===- BinaryPathTest.cpp - tests of librocm_kpack.so: binary's path ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack_discover_binary_path() for code, data and awkward file names.
//
//===----------------------------------------------------------------------===//
#include "RocmKpackFixture.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::testing;

namespace {

const char ConstantData[64] = "constant";
char WritableData[64] = "writable";

class DiscoverBinaryPath : public RocmKpackFixture {
protected:
  struct Place {
    kpack_error_t Error;
    std::string Path;
    size_t Offset;
  };

  static Place discover(const void *Address) {
    char Buffer[4096 * 2];
    size_t Offset = 0;
    kpack_error_t Error =
        kpack_discover_binary_path(Address, Buffer, sizeof(Buffer), &Offset);
    return {Error, Error == KPACK_SUCCESS ? Buffer : "", Offset};
  }

  /// A mapped page of a new file \p Name, at offset 4096 in it.
  void *mapPage(const std::string &Name) {
    std::string Path = file(Name, std::string(8192, 'x'));
    int Fd = open(Path.c_str(), O_RDONLY);
    EXPECT_GE(Fd, 0);
    void *Page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, Fd, 4096);
    EXPECT_NE(Page, MAP_FAILED);
    close(Fd);
    Pages.push_back(Page);
    return Page;
  }

  void TearDown() override {
    for (void *Page : Pages)
      munmap(Page, 4096);
    RocmKpackFixture::TearDown();
  }

  std::vector<void *> Pages;
};

} // namespace

TEST_F(DiscoverBinaryPath, FindsCodeAndDataOfThisProgram) {
  std::string Self = std::filesystem::read_symlink("/proc/self/exe");
  std::string Image = contents(Self);
  const void *Code = reinterpret_cast<const void *>(&clearEnvironment);
  for (const void *Address : {Code, static_cast<const void *>(ConstantData),
                              static_cast<const void *>(WritableData)}) {
    Place P = discover(Address);
    EXPECT_EQ(P.Error, KPACK_SUCCESS);
    EXPECT_EQ(P.Path, Self);
    ASSERT_LT(P.Offset + 8, Image.size());
    EXPECT_EQ(memcmp(Image.data() + P.Offset, Address, 8), 0);
  }
}

TEST_F(DiscoverBinaryPath, FindsALibrary) {
  void *Function = dlsym(RTLD_DEFAULT, "kpack_open");
  ASSERT_NE(Function, nullptr);
  EXPECT_NE(discover(Function).Path.find("librocm_kpack.so"),
            std::string::npos);
}

TEST_F(DiscoverBinaryPath, OffsetCountsFromTheStartOfTheFile) {
  char *Page = static_cast<char *>(mapPage("plain"));
  Place P = discover(Page + 100);
  EXPECT_EQ(P.Path, path("plain"));
  EXPECT_EQ(P.Offset, 4096u + 100u);
}

TEST_F(DiscoverBinaryPath, NamesMayHoldSpacesAndNewlines) {
  for (const char *Name :
       {"a b  c", "line\nbreak", "literal \\012 backslash", " leading",
        "trailing ", "x (deleted)", "caf\xc3\xa9"}) {
    Place P = discover(mapPage(Name));
    EXPECT_EQ(P.Error, KPACK_SUCCESS);
    EXPECT_EQ(P.Path, path(Name));
  }
}

TEST_F(DiscoverBinaryPath, ADeletedFileHasTheNameItHad) {
  void *Page = mapPage("gone");
  std::filesystem::remove(path("gone"));
  EXPECT_EQ(discover(Page).Path, path("gone"));
}

TEST_F(DiscoverBinaryPath, AReplacedFileHasItsName) {
  void *Page = mapPage("upgraded");
  std::filesystem::remove(path("upgraded"));
  file("upgraded", "new");
  EXPECT_EQ(discover(Page).Path, path("upgraded"));
}

TEST_F(DiscoverBinaryPath, MemoryWithoutAFileHasNoPath) {
  std::vector<char> Heap(100);
  char Stack = 0;
  EXPECT_EQ(discover(Heap.data()).Error, KPACK_ERROR_PATH_DISCOVERY_FAILED);
  EXPECT_EQ(discover(&Stack).Error, KPACK_ERROR_PATH_DISCOVERY_FAILED);
  EXPECT_EQ(discover(reinterpret_cast<void *>(16)).Error,
            KPACK_ERROR_PATH_DISCOVERY_FAILED);
}

TEST_F(DiscoverBinaryPath, BufferMustHoldThePathAndItsZero) {
  void *Page = mapPage("name");
  std::string Path = path("name");
  std::vector<char> Buffer(Path.size() + 1);
  EXPECT_EQ(
      kpack_discover_binary_path(Page, Buffer.data(), Path.size(), nullptr),
      KPACK_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(
      kpack_discover_binary_path(Page, Buffer.data(), Buffer.size(), nullptr),
      KPACK_SUCCESS);
  EXPECT_EQ(Buffer.data(), Path);
}

TEST_F(DiscoverBinaryPath, RefusesNullPointers) {
  char Buffer[8];
  size_t Offset = 0;
  EXPECT_EQ(kpack_discover_binary_path(nullptr, Buffer, 8, &Offset),
            KPACK_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(kpack_discover_binary_path(Buffer, nullptr, 8, &Offset),
            KPACK_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(kpack_discover_binary_path(Buffer, Buffer, 0, &Offset),
            KPACK_ERROR_INVALID_ARGUMENT);
}
