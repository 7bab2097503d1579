//===- ArchiveApiTest.cpp - tests of librocm_kpack.so: one archive --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract of kpack_open() and the functions on its handle: outputs, error
// numbers, null pointers, damaged files.
//
//===----------------------------------------------------------------------===//
#include "RocmKpackFixture.h"

using namespace kpack;
using namespace kpack::testing;

namespace {

class ArchiveApi : public RocmKpackFixture {
protected:
  struct Close {
    void operator()(kpack_archive_t A) const { kpack_close(A); }
  };
  using Handle = std::unique_ptr<kpack_archive, Close>;

  static Handle open(const std::string &Path) {
    kpack_archive_t A = nullptr;
    EXPECT_EQ(kpack_open(Path.c_str(), &A), KPACK_SUCCESS);
    return Handle(A);
  }

  static kpack_error_t openError(const std::string &Path) {
    kpack_archive_t A = nullptr;
    kpack_error_t Error = kpack_open(Path.c_str(), &A);
    EXPECT_EQ(A, nullptr);
    return Error;
  }

  std::string sample(CompressionScheme Scheme) const {
    return archive("sample.kpack", {{{"lib/b.so#0", "gfx942", "b0-942"},
                                     {"lib/a.so#0", "gfx942", "a0-942"},
                                     {"lib/a.so#1", "gfx1100", "a1-1100"}},
                                    Scheme});
  }
};

} // namespace

TEST_F(ArchiveApi, NumbersAreThoseOfTheShippedLibrary) {
  EXPECT_EQ(KPACK_SUCCESS, 0);
  EXPECT_EQ(KPACK_ERROR_INVALID_ARGUMENT, 1);
  EXPECT_EQ(KPACK_ERROR_FILE_NOT_FOUND, 2);
  EXPECT_EQ(KPACK_ERROR_INVALID_FORMAT, 3);
  EXPECT_EQ(KPACK_ERROR_UNSUPPORTED_VERSION, 4);
  EXPECT_EQ(KPACK_ERROR_KERNEL_NOT_FOUND, 5);
  EXPECT_EQ(KPACK_ERROR_DECOMPRESSION_FAILED, 6);
  EXPECT_EQ(KPACK_ERROR_OUT_OF_MEMORY, 7);
  EXPECT_EQ(KPACK_ERROR_NOT_IMPLEMENTED, 8);
  EXPECT_EQ(KPACK_ERROR_IO_ERROR, 9);
  EXPECT_EQ(KPACK_ERROR_MSGPACK_PARSE_FAILED, 10);
  EXPECT_EQ(KPACK_ERROR_PATH_DISCOVERY_FAILED, 11);
  EXPECT_EQ(KPACK_ERROR_INVALID_METADATA, 12);
  EXPECT_EQ(KPACK_ERROR_ARCHIVE_NOT_FOUND, 13);
  EXPECT_EQ(KPACK_ERROR_ARCH_NOT_FOUND, 14);
  EXPECT_EQ(KPACK_COMPRESSION_NOOP, 0);
  EXPECT_EQ(KPACK_COMPRESSION_ZSTD_PER_KERNEL, 1);
  EXPECT_STREQ(KPACK_MAGIC, "KPAK");
  EXPECT_EQ(KPACK_MAGIC_SIZE, 4);
  EXPECT_EQ(KPACK_CURRENT_VERSION, 1);
}

TEST_F(ArchiveApi, ListsArchitectures) {
  Handle A = open(sample(CompressionScheme::None));
  size_t Count = 0;
  ASSERT_EQ(kpack_get_architecture_count(A.get(), &Count), KPACK_SUCCESS);
  ASSERT_EQ(Count, 2u);
  const char *Arch = nullptr;
  ASSERT_EQ(kpack_get_architecture(A.get(), 0, &Arch), KPACK_SUCCESS);
  EXPECT_STREQ(Arch, "gfx1100");
  ASSERT_EQ(kpack_get_architecture(A.get(), 1, &Arch), KPACK_SUCCESS);
  EXPECT_STREQ(Arch, "gfx942");
  EXPECT_EQ(kpack_get_architecture(A.get(), 2, &Arch),
            KPACK_ERROR_INVALID_ARGUMENT);
}

TEST_F(ArchiveApi, ListsBinariesSorted) {
  Handle A = open(sample(CompressionScheme::ZstdPerKernel));
  size_t Count = 0;
  ASSERT_EQ(kpack_get_binary_count(A.get(), &Count), KPACK_SUCCESS);
  std::vector<std::string> Names;
  for (size_t I = 0; I != Count; ++I) {
    const char *Name = nullptr;
    ASSERT_EQ(kpack_get_binary(A.get(), I, &Name), KPACK_SUCCESS);
    Names.push_back(Name);
  }
  EXPECT_EQ(Names, (std::vector<std::string>{"lib/a.so#0", "lib/a.so#1",
                                             "lib/b.so#0"}));
  const char *Name = nullptr;
  EXPECT_EQ(kpack_get_binary(A.get(), Count, &Name),
            KPACK_ERROR_INVALID_ARGUMENT);
}

TEST_F(ArchiveApi, GetsKernelsOfBothSchemes) {
  for (CompressionScheme Scheme :
       {CompressionScheme::None, CompressionScheme::ZstdPerKernel}) {
    Handle A = open(sample(Scheme));
    void *Bytes = nullptr;
    size_t Size = 0;
    ASSERT_EQ(kpack_get_kernel(A.get(), "lib/a.so#1", "gfx1100", &Bytes, &Size),
              KPACK_SUCCESS);
    A.reset(); // a kernel outlives its archive
    EXPECT_EQ(std::string(static_cast<char *>(Bytes), Size), "a1-1100");
    kpack_free_kernel(Bytes);
  }
}

TEST_F(ArchiveApi, LooksUpExactly) {
  Handle A = open(sample(CompressionScheme::None));
  void *Bytes = nullptr;
  size_t Size = 0;
  for (auto [Binary, Arch] :
       {std::pair("lib/a.so", "gfx942"), std::pair("lib/a.so#1", "gfx942"),
        std::pair("lib/a.so#0", "gfx942:xnack+"), std::pair("", ""),
        std::pair("lib/a.so#0", "")})
    EXPECT_EQ(kpack_get_kernel(A.get(), Binary, Arch, &Bytes, &Size),
              KPACK_ERROR_KERNEL_NOT_FOUND);
  EXPECT_EQ(Bytes, nullptr);
}

TEST_F(ArchiveApi, AnEmptyKernelIsAKernel) {
  std::string Path = archive(
      "empty.kpack", {{{"a#0", "gfx942", ""}}, CompressionScheme::None});
  Handle A = open(Path);
  void *Bytes = nullptr;
  size_t Size = 1;
  ASSERT_EQ(kpack_get_kernel(A.get(), "a#0", "gfx942", &Bytes, &Size),
            KPACK_SUCCESS);
  EXPECT_NE(Bytes, nullptr);
  EXPECT_EQ(Size, 0u);
  kpack_free_kernel(Bytes);
}

TEST_F(ArchiveApi, RefusesNullPointers) {
  Handle A = open(sample(CompressionScheme::None));
  kpack_archive_t Out = nullptr;
  size_t N = 0;
  const char *Text = nullptr;
  void *Bytes = nullptr;
  const kpack_error_t Bad = KPACK_ERROR_INVALID_ARGUMENT;
  EXPECT_EQ(kpack_open(nullptr, &Out), Bad);
  EXPECT_EQ(kpack_open("x", nullptr), Bad);
  EXPECT_EQ(kpack_get_architecture_count(nullptr, &N), Bad);
  EXPECT_EQ(kpack_get_architecture_count(A.get(), nullptr), Bad);
  EXPECT_EQ(kpack_get_architecture(nullptr, 0, &Text), Bad);
  EXPECT_EQ(kpack_get_architecture(A.get(), 0, nullptr), Bad);
  EXPECT_EQ(kpack_get_binary_count(nullptr, &N), Bad);
  EXPECT_EQ(kpack_get_binary_count(A.get(), nullptr), Bad);
  EXPECT_EQ(kpack_get_binary(nullptr, 0, &Text), Bad);
  EXPECT_EQ(kpack_get_binary(A.get(), 0, nullptr), Bad);
  EXPECT_EQ(kpack_get_kernel(nullptr, "a", "b", &Bytes, &N), Bad);
  EXPECT_EQ(kpack_get_kernel(A.get(), nullptr, "b", &Bytes, &N), Bad);
  EXPECT_EQ(kpack_get_kernel(A.get(), "a", nullptr, &Bytes, &N), Bad);
  EXPECT_EQ(kpack_get_kernel(A.get(), "a", "b", nullptr, &N), Bad);
  EXPECT_EQ(kpack_get_kernel(A.get(), "a", "b", &Bytes, nullptr), Bad);
  kpack_close(nullptr);
  kpack_free_kernel(nullptr);
  kpack_free_code_object(nullptr);
  kpack_cache_destroy(nullptr);
}

TEST_F(ArchiveApi, TellsWhatIsWrongWithAFile) {
  std::string Good = contents(sample(CompressionScheme::ZstdPerKernel));
  EXPECT_EQ(openError(path("missing.kpack")), KPACK_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(openError(file("empty", "")), KPACK_ERROR_IO_ERROR);
  EXPECT_EQ(openError(Folder), KPACK_ERROR_IO_ERROR);
  EXPECT_EQ(openError(file("short", "KPAK")), KPACK_ERROR_INVALID_FORMAT);
  EXPECT_EQ(openError(file("magic", "X" + Good.substr(1))),
            KPACK_ERROR_INVALID_FORMAT);

  std::string Version = Good;
  Version[4] = 2;
  EXPECT_EQ(openError(file("version", Version)),
            KPACK_ERROR_UNSUPPORTED_VERSION);

  std::string Offset = Good;
  Offset.replace(8, 8, 8, '\xff');
  EXPECT_EQ(openError(file("offset", Offset)), KPACK_ERROR_INVALID_FORMAT);

  EXPECT_EQ(openError(file("cut", Good.substr(0, Good.size() - 1))),
            KPACK_ERROR_MSGPACK_PARSE_FAILED);
}

TEST_F(ArchiveApi, AKernelWithADamagedFrameDoesNotDecompress) {
  std::string Kernel;
  for (int I = 0; I != 3000; ++I)
    Kernel += static_cast<char>(I * I >> 3);
  std::string Path = archive("x.kpack", {{{"a#0", "gfx942", Kernel}}});
  std::string Bytes = contents(Path);
  Bytes[64 + 8 + 200] ^= 0x55; // header, count, length, inside the frame
  Handle A = open(file("damaged.kpack", Bytes));
  void *Data = nullptr;
  size_t Size = 0;
  EXPECT_EQ(kpack_get_kernel(A.get(), "a#0", "gfx942", &Data, &Size),
            KPACK_ERROR_DECOMPRESSION_FAILED);
  EXPECT_EQ(Data, nullptr);
}

TEST_F(ArchiveApi, EnumeratesUntilTheCallbackSaysStop) {
  std::string Path = sample(CompressionScheme::None);
  std::vector<std::string> Seen;
  auto All = [](const char *Arch, void *To) {
    static_cast<std::vector<std::string> *>(To)->push_back(Arch);
    return true;
  };
  auto One = [](const char *Arch, void *To) {
    static_cast<std::vector<std::string> *>(To)->push_back(Arch);
    return false;
  };
  ASSERT_EQ(kpack_enumerate_architectures(Path.c_str(), All, &Seen),
            KPACK_SUCCESS);
  EXPECT_EQ(Seen, (std::vector<std::string>{"gfx1100", "gfx942"}));
  Seen.clear();
  ASSERT_EQ(kpack_enumerate_architectures(Path.c_str(), One, &Seen),
            KPACK_SUCCESS);
  EXPECT_EQ(Seen, (std::vector<std::string>{"gfx1100"}));

  EXPECT_EQ(kpack_enumerate_architectures(nullptr, All, &Seen),
            KPACK_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(kpack_enumerate_architectures(Path.c_str(), nullptr, &Seen),
            KPACK_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(kpack_enumerate_architectures("/nonexistent", All, &Seen),
            KPACK_ERROR_FILE_NOT_FOUND);
}

TEST_F(ArchiveApi, AnExceptionOfACallbackStaysInside) {
  auto Throw = [](const char *, void *) -> bool { throw 42; };
  EXPECT_EQ(kpack_enumerate_architectures(
                sample(CompressionScheme::None).c_str(), Throw, nullptr),
            KPACK_ERROR_IO_ERROR);
}
