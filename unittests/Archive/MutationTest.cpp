//===- MutationTest.cpp - tests on mutated archives and markers -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeded mutations of every golden archive and of markers through the reader
// and the decoder: no crash (run it sanitised), no hang, and no allocation of
// more than 64 MiB beyond what the data really needs. KPACK_TEST_MUTATIONS sets
// how many; the same number gives the same inputs.
//
//===----------------------------------------------------------------------===//

#include "../Support/TempDir.h"
#include "AllocationWatch.h"
#include "RawArchive.h"
#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "kpack/Archive/Marker.h"

#include <ctime>
#include <gtest/gtest.h>
#include <random>

using namespace kpack;
using namespace kpack::test;

namespace {

using Random = std::mt19937_64;

unsigned mutations() {
  const char *Asked = std::getenv("KPACK_TEST_MUTATIONS");
  return Asked ? static_cast<unsigned>(std::stoul(Asked)) : 100000;
}

/// One to four changes of the kinds that damage and malice bring.
void mutate(std::string &Bytes, Random &R) {
  static const uint64_t Interesting[] = {
      0,          1,          0x7f,       0x80,       0xff,
      0xffff,     0x10000,    0x7fffffff, 0x80000000, 0xffffffff,
      1ull << 20, 1ull << 32, 1ull << 40, ~0ull >> 1, ~0ull};
  for (uint64_t Count = 1 + R() % 4; Count; --Count) {
    if (Bytes.empty())
      Bytes.push_back('\0');
    size_t Offset = R() % Bytes.size();
    size_t Length = std::min<size_t>(1 + R() % 16, Bytes.size() - Offset);
    switch (R() % 8) {
    case 0: // one bit
      Bytes[Offset] = static_cast<char>(Bytes[Offset] ^ (1 << R() % 8));
      break;
    case 1: // one byte
      Bytes[Offset] = static_cast<char>(R());
      break;
    case 2: { // a number, in either byte order
      uint64_t Value = Interesting[R() % std::size(Interesting)];
      bool Big = R() % 2;
      size_t Width =
          std::min<size_t>(size_t(1) << R() % 4, Bytes.size() - Offset);
      for (size_t I = 0; I != Width; ++I)
        Bytes[Offset + (Big ? Width - 1 - I : I)] =
            static_cast<char>(Value >> (8 * I));
      break;
    }
    case 3: // cut
      Bytes.resize(Offset);
      break;
    case 4: // remove
      Bytes.erase(Offset, Length);
      break;
    case 5: // repeat
      Bytes.insert(Offset, Bytes.substr(Offset, Length));
      break;
    case 6: // copy over
      Bytes.replace(R() % Bytes.size(), Length, Bytes.substr(Offset, Length));
      break;
    case 7: // a MessagePack tag
      Bytes[Offset] = static_cast<char>(0xc0 + R() % 0x20);
      break;
    }
  }
}

/// Opens, looks up, reads every entry in every way. True when all was well.
bool readEverything(std::string_view Bytes) {
  auto Reader = ArchiveReader::fromMemory(Bytes, "mutant");
  if (!Reader)
    return false;
  bool Well = true;
  (void)(*Reader)->archiveId("lib.so");
  for (const ArchiveEntry &Entry : (*Reader)->entries()) {
    EXPECT_EQ((*Reader)->find(Entry.Binary, Entry.Arch), &Entry);
    (void)(*Reader)->view(Entry).ok();
    bool Plausible = (*Reader)->checkEntry(Entry).ok();
    Result<Buffer> Content = (*Reader)->read(Entry);
    EXPECT_TRUE(Plausible || !Content.ok());
    if (Content.ok()) {
      EXPECT_EQ(Content->size(), Entry.OriginalSize);
    }
    Well &= (*Reader)->readVerified(Entry).ok();
  }
  return Well;
}

std::vector<std::string> seeds() {
  std::vector<std::string> All;
  for (const char *Folder : {"/good", "/bad"}) {
    std::vector<std::filesystem::path> Files;
    for (const auto &File : std::filesystem::directory_iterator(
             std::string(KPACK_ARCHIVE_INPUTS) + Folder))
      Files.push_back(File.path());
    std::sort(Files.begin(), Files.end());
    for (const std::filesystem::path &File : Files)
      All.push_back(readFile(File.string()));
  }
  // What our own writer makes, compressed and not.
  TempDir Dir;
  for (CompressionScheme Scheme :
       {CompressionScheme::None, CompressionScheme::ZstdPerKernel}) {
    ArchiveWriterOptions Options;
    Options.Scheme = Scheme;
    auto Writer = ArchiveWriter::create(Dir.file("a"), Options);
    for (int I = 0; I != 6; ++I) {
      Status S = (*Writer)->add("lib.so#" + std::to_string(I / 2),
                                I % 2 ? "gfx1100" : "gfx90a:xnack+",
                                std::string(300 * I, 'x') + "end");
      EXPECT_TRUE(S.ok());
    }
    (*Writer)->setArchiveId("lib.so", "id");
    EXPECT_TRUE((*Writer)->commit().ok());
    // Twice the weight of the others each.
    All.insert(All.end(), 20, readFile(Dir.file("a")));
  }
  return All;
}

/// Beyond what the mutants, which are a few hundred bytes long, can honestly
/// hold.
constexpr size_t AllocationLimit = 64 * MiB;
/// Of the processor: a busy machine gives it late, but not less of it.
constexpr std::clock_t TimeLimit = 2 * CLOCKS_PER_SEC;

/// Runs \p Use on each mutant; fails on a large allocation or a long run.
template <typename Function>
void forEachMutant(const std::vector<std::string> &Seeds, Function Use) {
  for (unsigned I = 0, End = mutations(); I != End; ++I) {
    Random R(I);
    std::string Bytes = Seeds[I % Seeds.size()];
    mutate(Bytes, R);
    // On the heap without slack, so that a byte too far is noticed.
    std::unique_ptr<char[]> Exactly(new char[Bytes.size()]);
    std::copy(Bytes.begin(), Bytes.end(), Exactly.get());

    resetLargestAllocation();
    std::clock_t Start = std::clock();
    Use(std::string_view(Exactly.get(), Bytes.size()));
    ASSERT_LE(largestAllocation(), AllocationLimit) << "mutant " << I;
    ASSERT_LT(std::clock() - Start, TimeLimit) << "mutant " << I;
  }
}

} // namespace

TEST(Mutation, WatchSeesAllocations) {
  resetLargestAllocation();
  auto Bytes = std::make_unique<std::string>(12345, 'x');
  EXPECT_GE(largestAllocation(), 12345u);
  EXPECT_LT(largestAllocation(), 1000000u);
}

TEST(Mutation, MutatedArchivesDoNoHarm) {
  unsigned Well = 0;
  forEachMutant(seeds(),
                [&](std::string_view Bytes) { Well += readEverything(Bytes); });
  // Some mutants are harmless, most are not: the test reaches both.
  EXPECT_GT(Well, mutations() / 100);
  EXPECT_LT(Well, mutations() / 2);
}

TEST(Mutation, MutatedMarkersDoNoHarm) {
  std::vector<std::string> Seeds;
  for (size_t Paths : {1, 3, 40}) {
    Marker M;
    M.KernelName = "lib/libexample.so";
    M.SearchPaths.assign(Paths, "../.kpack/example_@GFXARCH@.kpack");
    Seeds.push_back(*encodeMarker(M));
    M.ArchiveId = "0123456789abcdef";
    Seeds.push_back(*encodeMarker(M));
  }
  unsigned Well = 0;
  forEachMutant(Seeds, [&](std::string_view Bytes) {
    size_t Size = 0;
    Result<Marker> M = decodeMarker(Bytes, false, &Size);
    Result<Marker> Exact = decodeMarker(Bytes, true);
    Well += M.ok();
    EXPECT_TRUE(M.ok() || !Exact.ok());
    if (M.ok()) {
      EXPECT_LE(Size, Bytes.size());
      EXPECT_FALSE(M->SearchPaths.empty());
    }
  });
  EXPECT_GT(Well, mutations() / 100);
}

// Frames whose headers promise far more than they hold, in a way that only
// decompressing shows.
TEST(Mutation, LyingSizesDoNotAllocate) {
  for (unsigned WindowLog : {20, 27, 31})
    for (uint64_t Promised : {65 * MiB, 1000 * MiB, 100000 * MiB})
      for (uint64_t Real : {uint64_t(1), MiB, 64 * MiB - 1}) {
        std::string File =
            zstdArchive(lyingFrame(Real, Promised, WindowLog), Promised);
        auto Reader = ArchiveReader::fromMemory(File, "liar");
        ASSERT_TRUE(Reader.ok()) << Reader.status().message();
        resetLargestAllocation();
        Result<Buffer> Content = (*Reader)->read((*Reader)->entries()[0]);
        EXPECT_FALSE(Content.ok());
        EXPECT_LE(largestAllocation(), AllocationLimit)
            << WindowLog << " " << Promised << " " << Real;
      }
}

// Once 64 MiB are proven, the next step is twice that, and no window is
// larger.
TEST(Mutation, LargeKernelsGrowBehindTheirData) {
  uint64_t Real = 100 * MiB;
  for (unsigned WindowLog : {20, 27}) {
    std::string File =
        zstdArchive(lyingFrame(Real, 100000 * MiB, WindowLog), 100000 * MiB);
    auto Reader = ArchiveReader::fromMemory(File, "liar");
    ASSERT_TRUE(Reader.ok()) << Reader.status().message();
    resetLargestAllocation();
    EXPECT_FALSE((*Reader)->read((*Reader)->entries()[0]).ok());
    EXPECT_LE(largestAllocation(), Real + AllocationLimit);
  }
}

// What compresses as code objects do is allocated once, and so decompressed
// once.
TEST(Mutation, LargeKernelsAreDecompressedOnce) {
  uint64_t Size = 96 * MiB;
  std::string File =
      zstdArchive(rleFrame(Size, Size, 20, Size / 16 / 3 + 1), Size);
  auto Reader = ArchiveReader::fromMemory(File, "large");
  ASSERT_TRUE(Reader.ok()) << Reader.status().message();
  resetLargestAllocation();
  Result<Buffer> Content = (*Reader)->read((*Reader)->entries()[0]);
  ASSERT_TRUE(Content.ok()) << Content.status().message();
  EXPECT_EQ(Content->size(), Size);
  EXPECT_EQ(largestAllocation(), Size);
  EXPECT_EQ(largeAllocations(), 1u);
}
