//===- IntegrityTest.cpp - tests: no wrong bytes of damaged archives ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Damages an archive of each scheme at every byte, exchanges what two entries
// say of their places, and asks every API for every code object: each answer is
// the right bytes or an error. Sibling: MutationTest.cpp, for crashes.
//
//===----------------------------------------------------------------------===//
#include "kpack/kpack.h"

#include "RfcApiOtherHalf.h"
#include "RuntimeFixture.h"

#include <functional>
#include <random>
#include <sstream>

using namespace kpack;
using namespace kpack::testing;

namespace {

using Ways = std::vector<std::pair<
    const char *,
    std::function<std::string(const std::string &, const std::string &)>>>;

const std::string Arch = "gfx90a:xnack+";
const std::string Failed = "error ";

std::string text(std::string_view Bytes) { return std::string(Bytes); }

/// What \p Use makes of the entry; "error ..." if it cannot be had.
template <typename Function>
std::string withEntry(const std::string &Path, const std::string &Key,
                      const Function &Use) {
  auto Reader = ArchiveReader::open(Path);
  if (!Reader)
    return Failed + "open";
  const ArchiveEntry *Entry = (*Reader)->find(Key, Arch);
  return Entry ? Use(**Reader, *Entry) : Failed + "find";
}

std::string throughRfcApi(const std::string &Path, const std::string &Key) {
  kpack_archive_t A = nullptr;
  if (kpack_open(Path.c_str(), &A) != KPACK_SUCCESS)
    return Failed + "open";
  const void *Bytes = nullptr;
  size_t Size = 0;
  std::string Out = Failed + "get";
  if (kpack_get_kernel(A, Key.c_str(), Arch.c_str(), &Bytes, &Size) ==
      KPACK_SUCCESS)
    Out.assign(static_cast<const char *>(Bytes), Size);
  kpack_free_kernel(A, Bytes);
  kpack_close(A);
  return Out;
}

std::string throughRead(const std::string &Path, const std::string &Key) {
  return withEntry(Path, Key, [](const ArchiveReader &R, const auto &E) {
    Result<Buffer> Content = R.read(E);
    return Content ? text(Content->bytes()) : Failed + "read";
  });
}

std::string throughReadInto(const std::string &Path, const std::string &Key) {
  return withEntry(Path, Key, [](const ArchiveReader &R, const auto &E) {
    if (!R.checkEntry(E).ok())
      return Failed + "check";
    std::string Out(E.OriginalSize, '?');
    return R.readInto(E, Out.data(), Out.size()).ok() ? Out : Failed + "read";
  });
}

std::string throughReadVerified(const std::string &Path,
                                const std::string &Key) {
  return withEntry(Path, Key, [](const ArchiveReader &R, const auto &E) {
    Result<Buffer> Content = R.readVerified(E);
    return Content ? text(Content->bytes()) : Failed + "read";
  });
}

std::string throughView(const std::string &Path, const std::string &Key) {
  return withEntry(Path, Key, [](const ArchiveReader &R, const auto &E) {
    Result<std::string_view> Content = R.view(E);
    return Content ? text(*Content) : Failed + "view";
  });
}

class Integrity : public RuntimeFixture {
protected:
  void SetUp() override {
    RuntimeFixture::SetUp();
    // Of equal size, so that sizes give nothing away; the first one moves the
    // others to where their offsets take two bytes.
    Codes = {{"app#0", noise(1, 300)},
             {"app#3", noise(2, 90)},
             {"app#5", noise(3, 90)}};
  }

  /// Bytes that do not compress.
  static std::string noise(unsigned Seed, size_t Size) {
    std::minstd_rand Random(Seed);
    std::string Bytes(Size, '\0');
    for (char &C : Bytes)
      C = static_cast<char>(Random() >> 8);
    return Bytes;
  }

  std::string whole(CompressionScheme Scheme) const {
    ArchiveSpec Spec;
    Spec.Scheme = Scheme;
    for (const auto &[Key, Bytes] : Codes)
      Spec.Kernels.push_back({Key, Arch, Bytes});
    return contents(archive("good.kpack", Spec));
  }

  /// Every way from \p Path to bytes.
  Ways ways() const {
    return {{"kpack/kpack.h", throughRfcApi},
            {"rocm_kpack/kpack.h",
             [](const std::string &Path, const std::string &Key) {
               return readThroughSharedLibrary(Path, Key, Arch);
             }},
            {"kpack_load_code_object",
             [](const std::string &Path, const std::string &Key) {
               return loadThroughSharedLibrary(marker("app", {Path}, ""),
                                               std::stoi(Key.substr(4)), Arch);
             }},
            {"read", throughRead},
            {"readInto", throughReadInto},
            {"readVerified", throughReadVerified},
            {"view", throughView}};
  }

  /// Asks for everything in every way. How many answers were errors; fails on
  /// other bytes than the right ones.
  size_t errors(const std::string &Archive, const std::string &What) const {
    std::string Path = file("x.kpack", Archive);
    size_t Errors = 0;
    for (const auto &[Name, Get] : ways())
      for (const auto &[Key, Bytes] : Codes) {
        std::string Got = Get(Path, Key);
        bool IsError = Got.compare(0, Failed.size(), Failed) == 0;
        Errors += IsError;
        EXPECT_TRUE(IsError || Got == Bytes)
            << What << ": " << Name << " gave other bytes for " << Key;
      }
    return Errors;
  }

  /// Changes every byte from \p Begin to \p End: one of its bits, all of them.
  void damage(const std::string &Good, size_t Begin, size_t End) const {
    size_t Errors = 0;
    ::testing::internal::CaptureStderr(); // the loader warns
    for (size_t At = Begin; At != End && !HasFailure(); ++At)
      for (unsigned Mask : {1u << At % 8, 0xffu}) {
        std::string Bad = Good;
        Bad[At] = static_cast<char>(Bad[At] ^ Mask);
        Errors += errors(Bad, "byte " + std::to_string(At) + " ^ " +
                                  std::to_string(Mask));
      }
    ::testing::internal::GetCapturedStderr();
    EXPECT_GT(Errors, 2 * (End - Begin));
  }

  static size_t findToc(const std::string &Archive) {
    size_t Offset = 0;
    memcpy(&Offset, Archive.data() + 8, sizeof(Offset));
    return Offset;
  }

  /// Exchanges the \p Size bytes behind the last two keys \p Key.
  static void exchange(std::string &Archive, const std::string &Key,
                       size_t Size) {
    std::string Packed = static_cast<char>(0xa0 | Key.size()) + Key;
    size_t Last = Archive.rfind(Packed);
    ASSERT_NE(Last, Archive.npos);
    size_t Other = Archive.rfind(Packed, Last - 1);
    ASSERT_NE(Other, Archive.npos);
    std::swap_ranges(Archive.begin() + Last + Packed.size(),
                     Archive.begin() + Last + Packed.size() + Size,
                     Archive.begin() + Other + Packed.size());
  }

  /// Renames a key to one that nobody knows, so that readers ignore it.
  static void forget(std::string &Archive, const std::string &Key) {
    std::string Packed = static_cast<char>(0xa0 | Key.size()) + Key;
    for (size_t At = Archive.find(Packed); At != Archive.npos;
         At = Archive.find(Packed, At + 1))
      Archive[At + Packed.size() - 1] = '_';
  }

  /// MessagePack of an offset from 256 on, and of a hash.
  static constexpr size_t OffsetSize = 3, HashSize = 2 + 16;

  std::vector<std::pair<std::string, std::string>> Codes;
};

} // namespace

TEST_F(Integrity, WholeArchivesGiveTheirBytes) {
  // view() has no bytes of a compressed archive.
  EXPECT_EQ(errors(whole(CompressionScheme::None), "none"), 0u);
  EXPECT_EQ(errors(whole(CompressionScheme::ZstdPerKernel), "zstd"),
            Codes.size());
}

TEST_F(Integrity, NoChangedByteGivesOtherBytesUncompressed) {
  std::string Good = whole(CompressionScheme::None);
  damage(Good, 0, Good.size());
}

TEST_F(Integrity, NoChangedByteGivesOtherBytesCompressed) {
  std::string Good = whole(CompressionScheme::ZstdPerKernel);
  damage(Good, 0, Good.size());
}

// As ROCm's writer leaves it: what stands in the frames has their checksum.
TEST_F(Integrity, WithoutHashesTheFramesChecksumCounts) {
  std::string Good = whole(CompressionScheme::ZstdPerKernel);
  forget(Good, "hash");
  EXPECT_EQ(errors(Good, "no hash"), Codes.size());
  damage(Good, 64, findToc(Good));
}

TEST_F(Integrity, ExchangedHintsGiveTheBytesOfTheOrdinal) {
  std::string Bad = whole(CompressionScheme::ZstdPerKernel);
  exchange(Bad, "offset", OffsetSize);
  // What verify does says that they are wrong: view() and readVerified().
  EXPECT_EQ(errors(Bad, "exchanged"), Codes.size() + 2);
  // Without a hash nothing vouches for a hint.
  forget(Bad, "hash");
  EXPECT_EQ(errors(Bad, "exchanged, no hash"), Codes.size() + 2);
}

TEST_F(Integrity, ExchangedOrdinalsGiveErrorsOrTheBytesOfTheHash) {
  for (CompressionScheme Scheme :
       {CompressionScheme::None, CompressionScheme::ZstdPerKernel}) {
    std::string Bad = whole(Scheme);
    exchange(Bad, "ordinal", 1);
    EXPECT_GE(errors(Bad, "exchanged ordinals"), 2u);
  }
}

TEST_F(Integrity, VerifyNoticesExchangedHintsAndHashes) {
  std::string Bad = whole(CompressionScheme::ZstdPerKernel);
  exchange(Bad, "offset", OffsetSize);
  exchange(Bad, "hash", HashSize);
  std::string Path = file("x.kpack", Bad);
  EXPECT_EQ(throughReadVerified(Path, "app#3"), Failed + "read");
  EXPECT_EQ(throughReadVerified(Path, "app#5"), Failed + "read");
  EXPECT_EQ(throughReadVerified(Path, "app#0"), Codes[0].second);
}
