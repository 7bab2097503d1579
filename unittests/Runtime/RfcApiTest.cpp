//===- RfcApiTest.cpp - tests of kpack/kpack.h ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract of the RFC's API. This program is linked with librocm_kpack.so
// as well, whose functions have the same names: RfcApiOtherHalf.cpp calls them.
//
//===----------------------------------------------------------------------===//
#include "kpack/kpack.h"

#include "RfcApiOtherHalf.h"
#include "RuntimeFixture.h"

#include <thread>

using namespace kpack;
using namespace kpack::testing;

namespace {

class RfcApi : public RuntimeFixture {
protected:
  struct Close {
    void operator()(kpack_archive_t A) const { kpack_close(A); }
  };
  using Handle = std::unique_ptr<::kpack_archive, Close>;

  static Handle open(const std::string &Path) {
    kpack_archive_t A = nullptr;
    EXPECT_EQ(kpack_open(Path.c_str(), &A), KPACK_SUCCESS);
    return Handle(A);
  }

  std::string sample(CompressionScheme Scheme) const {
    return archive("sample.kpack", {{{"lib/a.so#0", "gfx942", "a0-942"},
                                     {"lib/a.so#0", "gfx1100", "a0-1100"},
                                     {"lib/a.so#1", "gfx942", "a1-942"},
                                     {"lib/a.so-debug#0", "gfx942", "debug"},
                                     {"lib/a.so/inner", "gfx942", "inner"},
                                     {"lib/b.so", "gfx942", "b"}},
                                    Scheme});
  }

  /// The code object, or the number of the error as text.
  static std::string kernel(const Handle &A, const char *Name,
                            const char *Arch) {
    const void *Bytes = nullptr;
    size_t Size = 0;
    kpack_error_t Error = kpack_get_kernel(A.get(), Name, Arch, &Bytes, &Size);
    if (Error != KPACK_SUCCESS)
      return "error " + std::to_string(Error);
    std::string Copy(static_cast<const char *>(Bytes), Size);
    kpack_free_kernel(A.get(), Bytes);
    return Copy;
  }

  static std::string metadata(const Handle &A, const char *Name,
                              const char *Arch) {
    const char *Json = nullptr;
    size_t Size = 0;
    kpack_error_t Error =
        kpack_get_kernel_metadata(A.get(), Name, Arch, &Json, &Size);
    if (Error != KPACK_SUCCESS)
      return "error " + std::to_string(Error);
    EXPECT_EQ(strlen(Json), Size);
    return Json;
  }

  using Strings = std::vector<std::string>;
  static Strings list(const Handle &A, const char *Name, const char *Arch) {
    const char **Names = nullptr;
    size_t Count = 99;
    EXPECT_EQ(kpack_list_kernels(A.get(), Name, Arch, &Names, &Count),
              KPACK_SUCCESS);
    EXPECT_EQ(Names[Count], nullptr);
    return Strings(Names, Names + Count);
  }
};

} // namespace

TEST_F(RfcApi, NumbersAreThoseOfTheRfc) {
  EXPECT_EQ(KPACK_SUCCESS, 0);
  EXPECT_EQ(KPACK_ERROR_FILE_NOT_FOUND, 1);
  EXPECT_EQ(KPACK_ERROR_INVALID_FORMAT, 2);
  EXPECT_EQ(KPACK_ERROR_UNSUPPORTED_VERSION, 3);
  EXPECT_EQ(KPACK_ERROR_DECOMPRESSION_FAILED, 4);
  EXPECT_EQ(KPACK_ERROR_KERNEL_NOT_FOUND, 5);
  EXPECT_EQ(KPACK_ERROR_OUT_OF_MEMORY, 6);
  EXPECT_EQ(KPACK_ERROR_INVALID_ARGUMENT, 64);
  EXPECT_EQ(KPACK_ERROR_IO_ERROR, 65);
}

TEST_F(RfcApi, GivesArchitecturesAsANullTerminatedArray) {
  Handle A = open(sample(CompressionScheme::None));
  const char **Archs = nullptr;
  size_t Count = 0;
  ASSERT_EQ(kpack_get_architectures(A.get(), &Archs, &Count), KPACK_SUCCESS);
  EXPECT_EQ(Strings(Archs, Archs + Count), (Strings{"gfx1100", "gfx942"}));
  EXPECT_EQ(Archs[Count], nullptr);
}

TEST_F(RfcApi, ListsTheKernelsOfABinary) {
  Handle A = open(sample(CompressionScheme::ZstdPerKernel));
  EXPECT_EQ(list(A, "lib/a.so", "gfx942"),
            (Strings{"lib/a.so#0", "lib/a.so#1", "lib/a.so/inner"}));
  EXPECT_EQ(list(A, "lib/a.so", "gfx1100"), (Strings{"lib/a.so#0"}));
  EXPECT_EQ(list(A, "lib/b.so", "gfx942"), (Strings{"lib/b.so"}));
  EXPECT_EQ(list(A, "lib", "gfx942"),
            (Strings{"lib/a.so#0", "lib/a.so#1", "lib/a.so-debug#0",
                     "lib/a.so/inner", "lib/b.so"}));
  EXPECT_EQ(list(A, nullptr, "gfx1100"), (Strings{"lib/a.so#0"}));
  EXPECT_EQ(list(A, "", "").size(), 5u);
  EXPECT_EQ(list(A, nullptr, nullptr).size(), 5u);
  EXPECT_EQ(list(A, "lib/a", "gfx942"), Strings{});
  EXPECT_EQ(list(A, "lib/a.so", "gfx9"), Strings{});
  EXPECT_EQ(list(A, "zzz", "gfx942"), Strings{});
}

TEST_F(RfcApi, ListsAreTheSameArrayEachTime) {
  Handle A = open(sample(CompressionScheme::None));
  const char **First = nullptr, **Again = nullptr;
  size_t Count = 0;
  kpack_list_kernels(A.get(), "lib", "gfx942", &First, &Count);
  list(A, "lib/a.so", "gfx942");
  kpack_list_kernels(A.get(), "lib", "gfx942", &Again, &Count);
  EXPECT_EQ(First, Again);
}

TEST_F(RfcApi, GetsKernelsByExactNameOrAsTheOnlyTranslationUnit) {
  for (CompressionScheme Scheme :
       {CompressionScheme::None, CompressionScheme::ZstdPerKernel}) {
    Handle A = open(sample(Scheme));
    EXPECT_EQ(kernel(A, "lib/a.so#1", "gfx942"), "a1-942");
    EXPECT_EQ(kernel(A, "lib/a.so", "gfx942"), "a0-942");
    EXPECT_EQ(kernel(A, "lib/b.so", "gfx942"), "b");
    EXPECT_EQ(kernel(A, "lib/a.so#2", "gfx942"), "error 5");
    EXPECT_EQ(kernel(A, "lib/a.so#1", "gfx1100"), "error 5");
    EXPECT_EQ(kernel(A, "lib/a.so", "gfx942:xnack+"), "error 5");
  }
}

TEST_F(RfcApi, UncompressedKernelsAreNotCopied) {
  Handle A = open(sample(CompressionScheme::None));
  const void *One = nullptr, *Two = nullptr;
  size_t Size = 0;
  kpack_get_kernel(A.get(), "lib/b.so", "gfx942", &One, &Size);
  kpack_get_kernel(A.get(), "lib/b.so", "gfx942", &Two, &Size);
  EXPECT_EQ(One, Two);
  kpack_free_kernel(A.get(), One);
  EXPECT_EQ(memcmp(Two, "b", 1), 0);
  kpack_free_kernel(A.get(), Two);
  kpack_free_kernel(A.get(), nullptr);
  kpack_free_kernel(nullptr, nullptr);
}

TEST_F(RfcApi, MetadataIsJson) {
  Handle A = open(sample(CompressionScheme::None));
  EXPECT_EQ(metadata(A, "lib/b.so", "gfx942"),
            R"({"binary":"lib/b.so","arch":"gfx942","type":"hsaco",)"
            R"("ordinal":5,"original_size":1,"stored_size":1,)"
            R"("compression_scheme":"none"})");
  EXPECT_EQ(metadata(A, "lib/a.so", "gfx1100")
                .find(R"({"binary":"lib/a.so#0","arch":"gfx1100")"),
            0u);
  EXPECT_EQ(metadata(A, "lib/none.so", "gfx942"), "error 5");
  const char *First = nullptr, *Again = nullptr;
  size_t Size = 0;
  kpack_get_kernel_metadata(A.get(), "lib/b.so", "gfx942", &First, &Size);
  kpack_get_kernel_metadata(A.get(), "lib/b.so", "gfx942", &Again, &Size);
  EXPECT_EQ(First, Again);
}

TEST_F(RfcApi, MetadataEscapesNames) {
  const char Name[] = "q\"b\\n\nt\tz\x01 \x7f \xc3\xa9 \xff \xe2\x82 "
                      "\xed\xa0\x80 \xf0\x9f\x98\x80";
  std::string Path = archive("x.kpack", {{{Name, "gfx942", "x"}}});
  Handle A = open(Path);
  const std::string Bad = "\xef\xbf\xbd";
  EXPECT_EQ(metadata(A, Name, "gfx942")
                .find("{\"binary\":\"q\\\"b\\\\n\\u000at\\u0009z\\u0001 \x7f "
                      "\xc3\xa9 " +
                      Bad + " " + Bad + Bad + " " + Bad + Bad + Bad +
                      " \xf0\x9f\x98\x80\",\"arch\""),
            0u)
      << metadata(A, Name, "gfx942");
}

TEST_F(RfcApi, TellsWhatIsWrongWithAFile) {
  std::string Good = contents(sample(CompressionScheme::None));
  auto openError = [](const std::string &Path) {
    kpack_archive_t A = nullptr;
    kpack_error_t Error = kpack_open(Path.c_str(), &A);
    EXPECT_EQ(A, nullptr);
    EXPECT_NE(std::string(kpack_get_last_error(nullptr)).find(Path),
              std::string::npos);
    return Error;
  };
  EXPECT_EQ(openError(path("none.kpack")), KPACK_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(openError(file("empty", "")), KPACK_ERROR_IO_ERROR);
  EXPECT_EQ(openError(file("short", "KPAK")), KPACK_ERROR_INVALID_FORMAT);
  EXPECT_EQ(openError(file("cut", Good.substr(0, Good.size() - 1))),
            KPACK_ERROR_INVALID_FORMAT);
  std::string Version = Good;
  Version[4] = 2;
  EXPECT_EQ(openError(file("v2", Version)), KPACK_ERROR_UNSUPPORTED_VERSION);
}

TEST_F(RfcApi, ADamagedFrameFailsToDecompress) {
  std::string Kernel;
  for (int I = 0; I != 3000; ++I)
    Kernel += static_cast<char>(I * I >> 3);
  std::string Bytes =
      contents(archive("x.kpack", {{{"a#0", "gfx942", Kernel}}}));
  Bytes[64 + 8 + 200] ^= 0x55;
  Handle A = open(file("damaged.kpack", Bytes));
  EXPECT_EQ(kernel(A, "a", "gfx942"), "error 4");
  EXPECT_NE(std::string(kpack_get_last_error(A.get())).find("damaged.kpack"),
            std::string::npos);
}

TEST_F(RfcApi, RefusesNullPointers) {
  Handle A = open(sample(CompressionScheme::None));
  kpack_archive_t Out = nullptr;
  const char **Names = nullptr;
  const char *Json = nullptr;
  const void *Bytes = nullptr;
  size_t N = 0;
  const kpack_error_t Bad = KPACK_ERROR_INVALID_ARGUMENT;
  EXPECT_EQ(kpack_open(nullptr, &Out), Bad);
  EXPECT_EQ(kpack_open("x", nullptr), Bad);
  EXPECT_EQ(kpack_get_architectures(nullptr, &Names, &N), Bad);
  EXPECT_EQ(kpack_get_architectures(A.get(), nullptr, &N), Bad);
  EXPECT_EQ(kpack_get_architectures(A.get(), &Names, nullptr), Bad);
  EXPECT_EQ(kpack_list_kernels(nullptr, "", "", &Names, &N), Bad);
  EXPECT_EQ(kpack_list_kernels(A.get(), "", "", nullptr, &N), Bad);
  EXPECT_EQ(kpack_list_kernels(A.get(), "", "", &Names, nullptr), Bad);
  EXPECT_EQ(kpack_get_kernel(nullptr, "", "", &Bytes, &N), Bad);
  EXPECT_EQ(kpack_get_kernel(A.get(), nullptr, "", &Bytes, &N), Bad);
  EXPECT_EQ(kpack_get_kernel(A.get(), "", nullptr, &Bytes, &N), Bad);
  EXPECT_EQ(kpack_get_kernel(A.get(), "", "", nullptr, &N), Bad);
  EXPECT_EQ(kpack_get_kernel(A.get(), "", "", &Bytes, nullptr), Bad);
  EXPECT_EQ(kpack_get_kernel_metadata(nullptr, "", "", &Json, &N), Bad);
  EXPECT_EQ(kpack_get_kernel_metadata(A.get(), nullptr, "", &Json, &N), Bad);
  EXPECT_EQ(kpack_get_kernel_metadata(A.get(), "", nullptr, &Json, &N), Bad);
  EXPECT_EQ(kpack_get_kernel_metadata(A.get(), "", "", nullptr, &N), Bad);
  EXPECT_EQ(kpack_get_kernel_metadata(A.get(), "", "", &Json, nullptr), Bad);
  EXPECT_STREQ(kpack_get_last_error(A.get()),
               "kpack_get_kernel_metadata: a pointer is null; pass one that is "
               "not");
  kpack_close(nullptr);
}

TEST_F(RfcApi, TheLastErrorIsThatOfThisThreadAndArchive) {
  std::string Path = sample(CompressionScheme::None);
  Handle A = open(Path), B = open(Path);
  EXPECT_STREQ(kpack_get_last_error(A.get()), "");
  kernel(A, "wanted by this thread", "gfx942");
  std::thread([&] {
    EXPECT_STREQ(kpack_get_last_error(A.get()), "");
    EXPECT_STREQ(kpack_get_last_error(nullptr), "");
    kernel(A, "wanted by another thread", "gfx942");
    EXPECT_EQ(kpack_get_last_error(A.get()),
              Path + ": no code object 'wanted by another thread' for "
                     "'gfx942'; 'kpack list' names those it has");
  }).join();
  EXPECT_EQ(kpack_get_last_error(A.get()),
            Path + ": no code object 'wanted by this thread' for 'gfx942'; "
                   "'kpack list' names those it has");
  EXPECT_STREQ(kpack_get_last_error(B.get()), "");
  // Success does not take it away.
  EXPECT_EQ(kernel(A, "lib/b.so", "gfx942"), "b");
  EXPECT_STRNE(kpack_get_last_error(A.get()), "");
}

TEST_F(RfcApi, ThreadsQueryAndLoadAtOnce) {
  for (CompressionScheme Scheme :
       {CompressionScheme::None, CompressionScheme::ZstdPerKernel}) {
    std::string Path = sample(Scheme);
    Handle A = open(Path);
    std::atomic<int> Wrong{0};
    std::vector<std::thread> Threads;
    for (int T = 0; T != 16; ++T)
      Threads.emplace_back([&, T] {
        for (int I = 0; I != 50; ++I) {
          Handle Own = open(Path);
          Wrong += kernel(T % 2 ? A : Own, "lib/a.so", "gfx942") != "a0-942";
          Wrong += list(A, "lib/a.so", "gfx942").size() != 3;
          Wrong += metadata(A, "lib/b.so", "gfx942").size() < 50;
          Wrong += kernel(A, "none", "gfx942") != "error 5";
          Wrong += *kpack_get_last_error(A.get()) == '\0';
        }
      });
    for (std::thread &T : Threads)
      T.join();
    EXPECT_EQ(Wrong, 0);
  }
}

TEST_F(RfcApi, LivesInOneProcessWithTheShippedApi) {
  std::string Path = sample(CompressionScheme::ZstdPerKernel);
  Handle A = open(Path);
  EXPECT_EQ(kernel(A, "lib/a.so#1", "gfx942"), "a1-942");
  EXPECT_EQ(readThroughSharedLibrary(Path, "lib/a.so#1", "gfx942"), "a1-942");
  // Each kept its own functions: only this API knows short names and has a
  // number for "not found" when opening that is 1.
  EXPECT_EQ(readThroughSharedLibrary(Path, "lib/a.so", "gfx942"), "error 5");
  EXPECT_EQ(readThroughSharedLibrary("/none", "lib/a.so", "gfx942"), "error 2");
  EXPECT_EQ(kernel(A, "lib/a.so", "gfx942"), "a0-942");
}
