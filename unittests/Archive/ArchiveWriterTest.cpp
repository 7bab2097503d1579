//===- ArchiveWriterTest.cpp - tests of the archive writer ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trips, equal bytes for every number of threads, sharing of equal
// kernels, and errors that leave nothing behind.
//
//===----------------------------------------------------------------------===//

#include "kpack/Archive/ArchiveWriter.h"
#include "../Support/FileSizeLimit.h"
#include "../Support/TempDir.h"
#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Archive/detail/ContentHash.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <zstd.h>

#define XXH_INLINE_ALL // the table of keys is internal
#include <xxhash.h>

using namespace kpack;
using namespace kpack::test;

namespace {

using WriterPtr = std::unique_ptr<ArchiveWriter>;

WriterPtr create(const std::string &Path, ArchiveWriterOptions Options = {}) {
  Result<WriterPtr> Writer = ArchiveWriter::create(Path, std::move(Options));
  EXPECT_TRUE(Writer.ok()) << Writer.status().message();
  return Writer.ok() ? std::move(*Writer) : nullptr;
}

ArchiveWriterOptions withScheme(CompressionScheme Scheme) {
  ArchiveWriterOptions Options;
  Options.Scheme = Scheme;
  return Options;
}

/// Half random, half repetitive, like code.
std::string kernel(unsigned Seed, size_t Size) {
  std::minstd_rand Random(Seed + 1);
  std::string Bytes(Size, '\0');
  for (size_t I = 0; I != Size; ++I)
    Bytes[I] = static_cast<char>(I % 8 < 4 ? Random() >> 8 : I >> 10);
  return Bytes;
}

void expectContent(const std::string &Path, std::string_view Binary,
                   std::string_view Arch, std::string_view Bytes) {
  auto Reader = ArchiveReader::open(Path);
  ASSERT_TRUE(Reader.ok()) << Reader.status().message();
  const ArchiveEntry *Entry = (*Reader)->find(Binary, Arch);
  ASSERT_NE(Entry, nullptr) << Binary << " " << Arch;
  EXPECT_TRUE((*Reader)->readVerified(*Entry).ok());
  Result<Buffer> Content = (*Reader)->read(*Entry);
  ASSERT_TRUE(Content.ok()) << Content.status().message();
  EXPECT_EQ(Content->bytes(), Bytes);
}

class EachScheme : public testing::TestWithParam<CompressionScheme> {
protected:
  TempDir Dir;
  std::string Path = Dir.file("a.kpack");
};

} // namespace

INSTANTIATE_TEST_SUITE_P(ArchiveWriter, EachScheme,
                         testing::Values(CompressionScheme::None,
                                         CompressionScheme::ZstdPerKernel));

TEST_P(EachScheme, RoundTrip) {
  WriterPtr Writer = create(Path, withScheme(GetParam()));
  constexpr unsigned Kernels = 100;
  for (unsigned I = 0; I != Kernels; ++I)
    ASSERT_TRUE(Writer
                    ->add("lib/k" + std::to_string(I) + ".so#0",
                          I % 2 ? "gfx1100" : "gfx90a:xnack+",
                          kernel(I, 137 * I))
                    .ok());
  ASSERT_TRUE(Writer->commit().ok());
  EXPECT_EQ(Dir.countFiles(), 1u);
  EXPECT_EQ(Writer->fileSize(), std::filesystem::file_size(Path));

  auto Reader = ArchiveReader::open(Path);
  ASSERT_TRUE(Reader.ok()) << Reader.status().message();
  EXPECT_EQ((*Reader)->scheme(), GetParam());
  EXPECT_EQ((*Reader)->entries().size(), Kernels);
  EXPECT_EQ((*Reader)->archFamily(), "gfx90a:xnack+"); // the first one
  for (unsigned I = 0; I != Kernels; ++I)
    expectContent(Path, "lib/k" + std::to_string(I) + ".so#0",
                  I % 2 ? "gfx1100" : "gfx90a:xnack+", kernel(I, 137 * I));
}

TEST_P(EachScheme, EmptyArchive) {
  WriterPtr Writer = create(Path, withScheme(GetParam()));
  Writer->addArchitecture("gfx1101");
  Writer->addArchitecture("gfx1100");
  ASSERT_TRUE(Writer->commit().ok());
  auto Reader = ArchiveReader::open(Path);
  ASSERT_TRUE(Reader.ok()) << Reader.status().message();
  EXPECT_TRUE((*Reader)->entries().empty());
  EXPECT_EQ((*Reader)->architectures(),
            std::vector<std::string_view>({"gfx1100", "gfx1101"}));
}

TEST_P(EachScheme, EqualKernelsAreStoredOnce) {
  WriterPtr Writer = create(Path, withScheme(GetParam()));
  std::string Same = kernel(1, 100000);
  // More in between than the compression threads hold.
  for (unsigned I = 0; I != 50; ++I) {
    std::string N = std::to_string(I);
    ASSERT_TRUE(Writer->add("same#" + N, "gfx1100", Same).ok());
    ASSERT_TRUE(Writer->add("other#" + N, "gfx1100", kernel(I + 2, 50)).ok());
  }
  ASSERT_TRUE(Writer->commit().ok());
  EXPECT_LT(Writer->fileSize(), 2 * Same.size());
  auto Reader = ArchiveReader::open(Path);
  ASSERT_TRUE(Reader.ok());
  EXPECT_EQ((*Reader)->find("same#0", "gfx1100")->Ordinal,
            (*Reader)->find("same#49", "gfx1100")->Ordinal);
  expectContent(Path, "same#49", "gfx1100", Same);
  expectContent(Path, "other#49", "gfx1100", kernel(51, 50));
}

// XXH3 of 32 bytes multiplies the first eight with the next eight after a XOR
// with a known secret: whoever makes the first factor zero can choose the rest
// so that both halves of the hash stay what they were.
static std::pair<std::string, std::string> collidingKernels() {
  auto Load = [](const void *Source) {
    uint64_t Value;
    std::memcpy(&Value, Source, sizeof(Value));
    return Value;
  };
  auto Fold = [](uint64_t A, uint64_t B) {
    __extension__ using uint128 = unsigned __int128;
    uint128 Product = uint128(A) * B;
    return static_cast<uint64_t>(Product) ^
           static_cast<uint64_t>(Product >> 64);
  };
  const unsigned char *Secret = XXH3_kSecret;
  uint64_t Zero = Load(Secret); // annuls the first product
  auto SecondProduct = [&](uint64_t Low, uint64_t High) {
    return Fold(Low ^ Load(Secret + 16), High ^ Load(Secret + 24));
  };
  // Both second halves have the same sum, so the low half of the hash is equal;
  // the last free word repairs the high half.
  uint64_t A[4] = {Zero, 1, 100, 200};
  uint64_t B[4] = {Zero, 0, 150, 150};
  uint64_t Wanted = SecondProduct(A[2], A[3]) ^ (A[0] + A[1]);
  B[1] = (SecondProduct(B[2], B[3]) ^ Wanted) - B[0];
  return {std::string(reinterpret_cast<const char *>(A), sizeof(A)),
          std::string(reinterpret_cast<const char *>(B), sizeof(B))};
}

TEST_P(EachScheme, ForgedHashCollisionIsNotShared) {
  auto [A, B] = collidingKernels();
  ASSERT_NE(A, B);
  ASSERT_EQ(detail::contentHash(A), detail::contentHash(B));
  WriterPtr Writer = create(Path, withScheme(GetParam()));
  ASSERT_TRUE(Writer->add("a#0", "gfx1100", A).ok());
  ASSERT_TRUE(Writer->add("b#0", "gfx1100", B).ok());
  // Push both out of the compression threads, then meet them again.
  for (unsigned I = 0; I != 50; ++I)
    ASSERT_TRUE(
        Writer->add("k#" + std::to_string(I), "gfx1100", kernel(I, 100)).ok());
  ASSERT_TRUE(Writer->add("a#1", "gfx1100", A).ok());
  ASSERT_TRUE(Writer->add("b#1", "gfx1100", B).ok());
  ASSERT_TRUE(Writer->commit().ok());
  for (const char *N : {"#0", "#1"}) {
    expectContent(Path, std::string("a") + N, "gfx1100", A);
    expectContent(Path, std::string("b") + N, "gfx1100", B);
  }
  auto Reader = ArchiveReader::open(Path);
  EXPECT_EQ((*Reader)->find("b#0", "gfx1100")->Ordinal,
            (*Reader)->find("b#1", "gfx1100")->Ordinal);
}

TEST_P(EachScheme, DuplicateKeyIsRefused) {
  WriterPtr Writer = create(Path, withScheme(GetParam()));
  ASSERT_TRUE(Writer->add("k#0", "gfx1100", "a").ok());
  Status S = Writer->add("k#0", "gfx1100", "b");
  EXPECT_EQ(S.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(S.message(), Path +
                             ": 'k#0' has two code objects for 'gfx1100'; give "
                             "each a key of its own");
  // The error is final.
  EXPECT_EQ(Writer->commit().message(), S.message());
  Writer.reset();
  EXPECT_EQ(Dir.countFiles(), 0u);
}

TEST_P(EachScheme, AddSameSharesAnExistingKernel) {
  WriterPtr Writer = create(Path, withScheme(GetParam()));
  ASSERT_TRUE(Writer->add("x#0", "gfx90a", "the code").ok());
  EXPECT_TRUE(Writer->addSame("x#1", "gfx90a", "x#0").ok());
  ASSERT_TRUE(Writer->commit().ok());
  auto Reader = ArchiveReader::open(Path);
  ASSERT_TRUE(Reader.ok());
  ASSERT_NE((*Reader)->find("x#1", "gfx90a"), nullptr);
  EXPECT_EQ((*Reader)->find("x#0", "gfx90a")->Ordinal,
            (*Reader)->find("x#1", "gfx90a")->Ordinal);

  Writer = create(Path, withScheme(GetParam()));
  ASSERT_TRUE(Writer->add("x#0", "gfx90a", "the code").ok());
  Status S = Writer->addSame("x#1", "gfx1100", "x#0");
  EXPECT_EQ(S.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(S.message(),
            Path + ": 'x#0' has no code object for 'gfx1100'; add it first");
}

TEST_P(EachScheme, KeyWithoutName) {
  WriterPtr Writer = create(Path, withScheme(GetParam()));
  EXPECT_EQ(Writer->add("", "gfx1100", "a").message(),
            Path + ": a code object needs a binary and an architecture; name "
                   "both");
}

TEST_P(EachScheme, DiskFullWhileAdding) {
  writeFile(Path, "what was there before");
  WriterPtr Writer = create(Path, withScheme(GetParam()));
  Status S;
  {
    FileSizeLimit Limit(100000);
    for (unsigned I = 0; I != 5000 && S.ok(); ++I)
      S = Writer->add("k#" + std::to_string(I), "gfx1100", kernel(I, 20000));
  }
  EXPECT_EQ(S.code(), StatusCode::IoError);
  EXPECT_EQ(S.message(),
            Path + ": cannot write: File too large; check the directory, its "
                   "permissions and free space");
  EXPECT_FALSE(Writer->commit().ok());
  Writer.reset();
  EXPECT_EQ(readFile(Path), "what was there before");
  EXPECT_EQ(Dir.countFiles(), 1u);
}

TEST_P(EachScheme, DiskFullAtTheEnd) {
  WriterPtr Writer = create(Path, withScheme(GetParam()));
  ASSERT_TRUE(Writer->add("k#0", "gfx1100", std::string(10, 'x')).ok());
  Status S;
  {
    FileSizeLimit Limit(120);
    S = Writer->commit();
  }
  EXPECT_EQ(S.message(),
            Path + ": cannot write: File too large; check the directory, its "
                   "permissions and free space");
  Writer.reset();
  EXPECT_EQ(Dir.countFiles(), 0u);
}

TEST_P(EachScheme, AbandonedWriterLeavesNothing) {
  WriterPtr Writer = create(Path, withScheme(GetParam()));
  for (unsigned I = 0; I != 10; ++I)
    ASSERT_TRUE(
        Writer->add("k#" + std::to_string(I), "gfx1100", kernel(I, 50000))
            .ok());
  ASSERT_TRUE(Writer->finish().ok());
  EXPECT_EQ(readFile(Writer->temporaryPath()).size(), Writer->fileSize());
  EXPECT_FALSE(std::filesystem::exists(Path));
  Writer.reset();
  EXPECT_EQ(Dir.countFiles(), 0u);
}

TEST_P(EachScheme, SeveralArchiveIds) {
  WriterPtr Writer = create(Path, withScheme(GetParam()));
  Writer->setArchiveId("b.so", "2");
  Writer->setArchiveId("a.so", "0");
  Writer->setArchiveId("a.so", "1");
  ASSERT_TRUE(Writer->commit().ok());
  auto Reader = ArchiveReader::open(Path);
  ASSERT_TRUE(Reader.ok());
  EXPECT_EQ((*Reader)->archiveId("a.so"), "1");
  EXPECT_EQ((*Reader)->archiveId("b.so"), "2");
  EXPECT_EQ((*Reader)->archiveId("c.so"), "");
}

TEST_P(EachScheme, RecordsTheDebugArchivePath) {
  for (const char *Where : {"", "debug/a.kpack", "."}) {
    WriterPtr Writer = create(Path, withScheme(GetParam()));
    Writer->setDeviceDebug(Where);
    ASSERT_TRUE(Writer->add("a#0", "gfx1100", "x").ok());
    ASSERT_TRUE(Writer->commit().ok());
    auto Reader = ArchiveReader::open(Path);
    ASSERT_TRUE(Reader.ok()) << Reader.status().message();
    EXPECT_EQ((*Reader)->deviceDebug(), Where);
  }
}

// The other binary's marker has an id of its own, which must not be compared
// with this one.
TEST(ArchiveWriter, OneArchiveIdDoesNotApplyToOtherBinaries) {
  TempDir Dir;
  std::string Path = Dir.file("a.kpack");
  for (bool WithOther : {false, true}) {
    WriterPtr Writer = create(Path);
    ASSERT_TRUE(Writer->add("a.so#0", "gfx1100", "x").ok());
    if (WithOther) {
      ASSERT_TRUE(Writer->add("a.so.2#0", "gfx1100", "y").ok());
    }
    Writer->setArchiveId("a.so", "1");
    ASSERT_TRUE(Writer->commit().ok());
    auto Reader = ArchiveReader::open(Path);
    ASSERT_TRUE(Reader.ok());
    EXPECT_EQ((*Reader)->archiveId("a.so"), "1");
    EXPECT_EQ((*Reader)->archiveId("a.so.2"), WithOther ? "" : "1");
  }
}

TEST(ArchiveWriter, BytesDoNotDependOnThreads) {
  TempDir Dir;
  std::string First;
  for (unsigned Threads : {1, 2, 5, 16}) {
    ArchiveWriterOptions Options;
    Options.Threads = Threads;
    WriterPtr Writer = create(Dir.file("a.kpack"), Options);
    for (unsigned I = 0; I != 200; ++I)
      ASSERT_TRUE(Writer
                      ->add("k#" + std::to_string(I), "gfx1100",
                            kernel(I % 90, 7000 * (I % 13)))
                      .ok());
    ASSERT_TRUE(Writer->commit().ok());
    std::string Bytes = readFile(Dir.file("a.kpack"));
    if (First.empty())
      First = Bytes;
    EXPECT_EQ(Bytes, First) << Threads;
  }
}

TEST(ArchiveWriter, FramesHaveSizeAndChecksum) {
  TempDir Dir;
  std::string Path = Dir.file("a.kpack");
  WriterPtr Writer = create(Path);
  ASSERT_TRUE(Writer->add("k#0", "gfx1100", kernel(1, 5000)).ok());
  ASSERT_TRUE(Writer->commit().ok());
  std::string Bytes = readFile(Path);
  auto Reader = ArchiveReader::open(Path);
  const ArchiveEntry &Entry = (*Reader)->entries()[0];
  EXPECT_EQ(Entry.Offset, 72u);
  EXPECT_EQ(*(*Reader)->storedSize(Entry), Entry.StoredSize);
  EXPECT_EQ(ZSTD_getFrameContentSize(&Bytes[72], Entry.StoredSize), 5000u);
  EXPECT_EQ(Bytes[72 + 4] & 4, 4); // Content_Checksum_flag

  // One flipped bit in stored bytes: the checksum notices.
  Bytes[72 + Entry.StoredSize / 2] ^= 1;
  auto Damaged = ArchiveReader::fromMemory(Bytes, "x.kpack");
  ASSERT_TRUE(Damaged.ok());
  Result<Buffer> Content = (*Damaged)->read((*Damaged)->entries()[0]);
  ASSERT_FALSE(Content.ok());
  EXPECT_EQ(Content.status().code(), StatusCode::DecompressionFailed);
}

namespace {

/// Half of \p Size random, and that once more: \p Size / 2 apart.
std::string repeatedFarAway(size_t Size) {
  std::minstd_rand Random(7);
  std::string Half(Size / 2, '\0');
  for (char &C : Half)
    C = static_cast<char>(Random() >> 8);
  return Half + Half;
}

/// What a stream reader makes of \p Frame when nobody has raised its limits.
std::string streamed(std::string_view Frame, size_t Size) {
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> Stream(
      ZSTD_createDStream(), ZSTD_freeDStream);
  std::string Bytes(Size, '\0');
  ZSTD_inBuffer In = {Frame.data(), Frame.size(), 0};
  ZSTD_outBuffer Out = {Bytes.data(), Bytes.size(), 0};
  // Input in pieces, so that no shortcut for whole frames is taken.
  for (size_t End = 0; End != Frame.size();) {
    End = std::min(Frame.size(), End + 100000);
    In.size = End;
    while (In.pos != End) {
      size_t Left = ZSTD_decompressStream(Stream.get(), &Out, &In);
      if (ZSTD_isError(Left))
        return ZSTD_getErrorName(Left);
    }
  }
  Bytes.resize(Out.pos);
  return Bytes;
}

} // namespace

// What repeats itself beyond the level's window is found, and every reader
// reads it: zstd's stream reader refuses windows of more than 128 MiB.
TEST(ArchiveWriter, LargeKernelsAreMatchedOverTheirLength) {
  TempDir Dir;
  std::string Path = Dir.file("a.kpack");
  WriterPtr Writer = create(Path);
  std::string Large = repeatedFarAway(size_t(8) << 20);
  std::string Huge;
  while (Huge.size() <= size_t(128) << 20)
    Huge += kernel(3, size_t(1) << 20);
  ASSERT_TRUE(Writer->add("large#0", "gfx1100", Large).ok());
  ASSERT_TRUE(Writer->add("huge#0", "gfx1100", Huge).ok());
  ASSERT_TRUE(Writer->commit().ok());
  std::string Bytes = readFile(Path);
  auto Reader = ArchiveReader::open(Path);
  ASSERT_TRUE(Reader.ok()) << Reader.status().message();
  for (const auto &[Name, Content] :
       {std::pair("large#0", &Large), std::pair("huge#0", &Huge)}) {
    const ArchiveEntry *Entry = (*Reader)->find(Name, "gfx1100");
    ASSERT_NE(Entry, nullptr);
    EXPECT_LT(Entry->StoredSize, Content->size() * 51 / 100);
    std::string_view Frame(&Bytes[Entry->Offset], Entry->StoredSize);
    EXPECT_TRUE(streamed(Frame, Content->size()) == *Content) << Name;
    std::string Whole(Content->size(), '\0');
    EXPECT_EQ(
        ZSTD_decompress(Whole.data(), Whole.size(), Frame.data(), Frame.size()),
        Content->size());
    EXPECT_TRUE(Whole == *Content) << Name;
  }
}

// Small kernels between large ones: a thread's context goes back and forth.
TEST(ArchiveWriter, LargeKernelsDoNotDependOnThreads) {
  TempDir Dir;
  std::string First;
  for (unsigned Threads : {1, 3, 16}) {
    ArchiveWriterOptions Options;
    Options.Threads = Threads;
    WriterPtr Writer = create(Dir.file("a.kpack"), Options);
    for (unsigned I = 0; I != 24; ++I)
      ASSERT_TRUE(Writer
                      ->add("k#" + std::to_string(I), "gfx1100",
                            kernel(I, I % 3 ? 30000 * I : 1500000 + I))
                      .ok());
    ASSERT_TRUE(Writer->commit().ok());
    std::string Bytes = readFile(Dir.file("a.kpack"));
    if (First.empty())
      First = Bytes;
    EXPECT_TRUE(Bytes == First) << Threads;
  }
}

// Writers that share threads write what each would alone; one that goes or
// fails takes nothing along.
TEST(ArchiveWriter, WritersShareThreads) {
  TempDir Dir;
  for (unsigned Threads : {1, 3}) {
    ArchiveWriterOptions Options;
    Options.Pool =
        makeCompressionPool(std::make_shared<WorkerThreads>(Threads));
    std::vector<WriterPtr> Writers, Alone;
    for (unsigned W = 0; W != 5; ++W) {
      Options.MaxCompressedSize = W == 3 ? 20000 : MaxZstdBlobSize;
      Options.Level = 1 + static_cast<int>(W);
      std::string Name = std::to_string(W);
      Writers.push_back(create(Dir.file("shared" + Name), Options));
      ArchiveWriterOptions Own = Options;
      Own.Pool = nullptr;
      Alone.push_back(create(Dir.file("alone" + Name), Own));
    }
    bool HasFailed = false;
    std::vector<std::weak_ptr<std::string>> Lent;
    for (unsigned I = 0; I != 200; ++I) {
      std::string Key = "k#" + std::to_string(I);
      std::string Bytes = kernel(I % 90, I % 20 ? 4000 * (I % 13) : 1500000);
      unsigned W = I * 7 % 5;
      if (I == 150)
        Writers[4].reset();
      if (!Writers[W])
        continue;
      Status S;
      if (I % 3 == 0) {
        S = Writers[W]->add(Key, "gfx90a", Bytes);
      } else if (I % 3 == 1) {
        auto Owner = std::make_shared<std::string>(Bytes);
        Lent.push_back(Owner);
        std::string_view Kept = *Owner;
        S = Writers[W]->add(Key, "gfx90a", Kept, std::move(Owner));
      } else {
        Buffer Owned;
        ASSERT_TRUE(Owned.resize(Bytes.size()));
        Bytes.copy(Owned.data(), Bytes.size());
        S = Writers[W]->add(Key, "gfx90a", std::move(Owned));
      }
      HasFailed |= !S.ok();
      EXPECT_TRUE(S.ok() || W == 3) << S.message();
      ASSERT_EQ(Alone[W]->add(Key, "gfx90a", Bytes).ok() || W == 3, true);
    }
    for (WriterPtr &Writer : Writers)
      HasFailed |= Writer && !Writer->finish().ok();
    for (const std::weak_ptr<std::string> &Owner : Lent)
      EXPECT_TRUE(Owner.expired());
    EXPECT_TRUE(HasFailed);
    for (unsigned W : {2, 0, 1}) {
      std::string Name = std::to_string(W);
      ASSERT_TRUE(Writers[W]->commit().ok());
      ASSERT_TRUE(Alone[W]->commit().ok());
      EXPECT_TRUE(readFile(Dir.file("shared" + Name)) ==
                  readFile(Dir.file("alone" + Name)))
          << W;
    }
  }
}

TEST(ArchiveWriter, LevelsChangeTheSize) {
  TempDir Dir;
  uint64_t Sizes[2];
  int Levels[2] = {1, 19};
  for (int I : {0, 1}) {
    ArchiveWriterOptions Options;
    Options.Level = Levels[I];
    WriterPtr Writer = create(Dir.file("a.kpack"), Options);
    std::string Text;
    for (int N = 0; N != 20000; ++N)
      Text += std::to_string(N / 7 * 7919) + " ";
    ASSERT_TRUE(Writer->add("k#0", "gfx1100", Text).ok());
    ASSERT_TRUE(Writer->commit().ok());
    Sizes[I] = Writer->fileSize();
    expectContent(Dir.file("a.kpack"), "k#0", "gfx1100", Text);
  }
  EXPECT_LT(Sizes[1], Sizes[0]);
}

/// The frame of the only entry.
std::string getFrame(const std::string &Path) {
  auto Reader = ArchiveReader::open(Path);
  EXPECT_TRUE(Reader.ok()) << Reader.status().message();
  Buffer Frame;
  Result<Buffer> Content =
      (*Reader)->readWithStored((*Reader)->entries().front(), Frame);
  EXPECT_TRUE(Content.ok()) << Content.status().message();
  return std::string(Frame.bytes());
}

TEST(ArchiveWriter, LevelLikeThatOfAnArchive) {
  TempDir Dir;
  std::string Text;
  for (int N = 0; N != 20000; ++N)
    Text += std::to_string(N / 7 * 7919) + " ";
  for (int Level : {3, 9, 19}) {
    WriterPtr Writer = create(Dir.file("a.kpack"));
    Writer->setLevel(Level);
    ASSERT_TRUE(Writer->add("k#0", "gfx1100", Text).ok());
    ASSERT_TRUE(Writer->commit().ok());
    size_t Size = getFrame(Dir.file("a.kpack")).size();
    int Like = levelLike(Text, Size);
    EXPECT_LE(Like, Level);
    WriterPtr Again = create(Dir.file("b.kpack"));
    Again->setLevel(Like);
    ASSERT_TRUE(Again->add("k#0", "gfx1100", Text).ok());
    ASSERT_TRUE(Again->commit().ok());
    EXPECT_LE(getFrame(Dir.file("b.kpack")).size(), Size);
  }
  EXPECT_EQ(levelLike(Text, 1), 19);
}

TEST(ArchiveWriter, PrecompressedFramesAreStoredUnchanged) {
  TempDir Dir;
  std::string Bytes = kernel(1, 300000);
  ArchiveWriterOptions Best;
  Best.Level = 19;
  WriterPtr First = create(Dir.file("first"), Best);
  ASSERT_TRUE(First->add("a", "gfx90a", Bytes).ok());
  ASSERT_TRUE(First->commit().ok());
  std::string Frame = getFrame(Dir.file("first"));

  WriterPtr Second = create(Dir.file("second"));
  ASSERT_TRUE(Second->addCompressed("a", "gfx90a", Bytes, Frame).ok());
  ASSERT_TRUE(Second->addCompressed("b", "gfx90a", Bytes, Frame).ok());
  ASSERT_TRUE(Second->commit().ok());
  EXPECT_EQ(getFrame(Dir.file("second")), Frame);
  expectContent(Dir.file("second"), "b", "gfx90a", Bytes);

  // Without a checksum, with something behind it: as if there were none.
  std::string Plain(ZSTD_compressBound(Bytes.size()), '\0');
  Plain.resize(ZSTD_compress(Plain.data(), Plain.size(), Bytes.data(),
                             Bytes.size(), 19));
  for (const std::string &Other : {Plain, Frame + "x", std::string("frame")}) {
    WriterPtr Third = create(Dir.file("third"));
    ASSERT_TRUE(Third->addCompressed("a", "gfx90a", Bytes, Other).ok());
    ASSERT_TRUE(Third->commit().ok());
    expectContent(Dir.file("third"), "a", "gfx90a", Bytes);
    EXPECT_NE(getFrame(Dir.file("third")), Other);
  }
  // What is not compressed takes none.
  WriterPtr Raw = create(Dir.file("raw"), withScheme(CompressionScheme::None));
  ASSERT_TRUE(Raw->addCompressed("a", "gfx90a", Bytes, Frame).ok());
  ASSERT_TRUE(Raw->commit().ok());
  EXPECT_EQ(getFrame(Dir.file("raw")), Bytes);
}

TEST(ArchiveWriter, LevelThatDoesNotExist) {
  for (int Level : {0, -1, 23}) {
    ArchiveWriterOptions Options;
    Options.Level = Level;
    auto Writer = ArchiveWriter::create("a.kpack", Options);
    ASSERT_FALSE(Writer.ok());
    EXPECT_EQ(Writer.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(Writer.status().message(), "a.kpack: zstd level " +
                                             std::to_string(Level) +
                                             " does not exist; use 1 to 22");
  }
}

TEST(ArchiveWriter, MissingDirectoryIsAnError) {
  auto Writer = ArchiveWriter::create("/nonexistent/a.kpack", {});
  ASSERT_FALSE(Writer.ok());
  EXPECT_EQ(
      Writer.status().message(),
      "/nonexistent/a.kpack: cannot create: No such file or directory; check "
      "the directory, its permissions and free space");
}

// Shipped readers have limits; smaller ones stand in for them here.
TEST(ArchiveWriter, LimitsAreThoseOfShippedReaders) {
  ArchiveWriterOptions Options;
  EXPECT_EQ(Options.MaxCompressedKernels, 1048576u);
  EXPECT_EQ(Options.MaxCompressedSize, uint64_t(4) << 30);
}

TEST(ArchiveWriter, RefusesTooManyKernels) {
  TempDir Dir;
  ArchiveWriterOptions Options;
  Options.MaxCompressedKernels = 3;
  std::string Path = Dir.file("a.kpack");
  WriterPtr Writer = create(Path, Options);
  for (unsigned I : {0, 1, 2})
    ASSERT_TRUE(
        Writer->add("k#" + std::to_string(I), "gfx1100", kernel(I, 10)).ok());
  // One that is there already needs no room.
  ASSERT_TRUE(Writer->add("k#3", "gfx1100", kernel(0, 10)).ok());
  Status S = Writer->add("k#4", "gfx1100", kernel(4, 10));
  EXPECT_EQ(S.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(S.message(),
            Path + ": more than 3 code objects; readers "
                   "refuse that: write one archive for each target, with "
                   "@GFXARCH@ in its name");
}

TEST(ArchiveWriter, RefusesTooManyBytes) {
  TempDir Dir;
  ArchiveWriterOptions Options;
  Options.MaxCompressedSize = 100000;
  std::string Path = Dir.file("a.kpack");
  WriterPtr Writer = create(Path, Options);
  for (unsigned I = 0; I != 10; ++I)
    if (!Writer->add("k#" + std::to_string(I), "gfx1100", kernel(I, 50000))
             .ok())
      break;
  Status S = Writer->commit();
  EXPECT_EQ(S.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(S.message(),
            Path + ": more than 100000 bytes of compressed code; readers "
                   "refuse that: write one archive for each target, with "
                   "@GFXARCH@ in its name");
  Writer.reset();
  EXPECT_EQ(Dir.countFiles(), 0u);
}

TEST(ArchiveWriter, NoLimitsWithoutCompression) {
  TempDir Dir;
  ArchiveWriterOptions Options;
  Options.Scheme = CompressionScheme::None;
  Options.MaxCompressedKernels = 1;
  Options.MaxCompressedSize = 10;
  WriterPtr Writer = create(Dir.file("a.kpack"), Options);
  for (unsigned I : {0, 1, 2})
    ASSERT_TRUE(
        Writer->add("k#" + std::to_string(I), "gfx1100", kernel(I, 100)).ok());
  EXPECT_TRUE(Writer->commit().ok());
}
