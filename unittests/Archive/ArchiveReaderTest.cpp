//===- ArchiveReaderTest.cpp - tests of the archive reader ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lookups, the frame index, sizes that lie, threads, and files that change
// while they are open. The reject rules are in GoldenTest.cpp, one file each.
//
//===----------------------------------------------------------------------===//

#include "kpack/Archive/ArchiveReader.h"
#include "../Support/TempDir.h"
#include "RawArchive.h"
#include "kpack/Archive/ArchiveWriter.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <zstd.h>

using namespace kpack;
using namespace kpack::test;

namespace {

using ReaderPtr = std::unique_ptr<const ArchiveReader>;

ReaderPtr openGood(const std::string &Name) {
  auto Reader = ArchiveReader::open(std::string(KPACK_ARCHIVE_INPUTS) +
                                    "/good/" + Name + ".kpack");
  EXPECT_TRUE(Reader.ok()) << Reader.status().message();
  return Reader.ok() ? std::move(*Reader) : nullptr;
}

} // namespace

TEST(ArchiveReader, ReadsTheTableOfContents) {
  ReaderPtr Reader = openGood("writer-none");
  ASSERT_NE(Reader, nullptr);
  EXPECT_EQ(Reader->groupName(), "golden");
  EXPECT_EQ(Reader->archFamily(), "gfx1100");
  EXPECT_EQ(Reader->scheme(), CompressionScheme::None);
  using Views = std::vector<std::string_view>;
  EXPECT_EQ(Reader->architectures(), Views({"gfx1100", "gfx90a:xnack+"}));
  EXPECT_EQ(Reader->binaries(), Views({"lib.so#0", "lib.so#1"}));
  ASSERT_EQ(Reader->entries().size(), 3u);
  const ArchiveEntry &Second = Reader->entries()[1];
  EXPECT_EQ(Second.Binary, "lib.so#0");
  EXPECT_EQ(Second.Arch, "gfx90a:xnack+");
  EXPECT_EQ(Second.Type, "hsaco");
  EXPECT_EQ(Second.Ordinal, 1u);
  EXPECT_EQ(Second.OriginalSize, 3u);
  EXPECT_EQ(*Reader->storedSize(Second), 3u);
  EXPECT_EQ(*Reader->view(Second), "bye");
}

TEST(ArchiveReader, FindsEntriesAndMissesOthers) {
  ReaderPtr Reader = openGood("writer-none");
  ASSERT_NE(Reader, nullptr);
  for (const ArchiveEntry &Entry : Reader->entries())
    EXPECT_EQ(Reader->find(Entry.Binary, Entry.Arch), &Entry);
  EXPECT_EQ(Reader->find("lib.so", "gfx1100"), nullptr);
  EXPECT_EQ(Reader->find("lib.so#1", "gfx90a:xnack+"), nullptr);
  EXPECT_EQ(Reader->find("lib.so#0", "gfx90a"), nullptr);
  EXPECT_EQ(Reader->find("", ""), nullptr);
  EXPECT_EQ(Reader->find("zzz", "gfx1100"), nullptr);
}

TEST(ArchiveReader, OneArchiveIdHoldsForEveryName) {
  ReaderPtr Reader = openGood("writer-none");
  EXPECT_EQ(Reader->archiveId("lib.so"), "0123456789abcdef");
  EXPECT_EQ(Reader->archiveId("other"), "0123456789abcdef");
}

TEST(ArchiveReader, SeveralArchiveIdsHoldForTheirNames) {
  ReaderPtr Reader = openGood("archive-ids");
  EXPECT_EQ(Reader->archiveId("a.so"), "1");
  EXPECT_EQ(Reader->archiveId("lib.so"), "2");
  EXPECT_EQ(Reader->archiveId("b.so"), "");
}

TEST(ArchiveReader, NoArchiveIdInOthersArchives) {
  EXPECT_EQ(openGood("none")->archiveId("lib.so"), "");
}

TEST(ArchiveReader, ViewOnlyWithoutCompression) {
  ReaderPtr Reader = openGood("zstd");
  Result<std::string_view> View = Reader->view(Reader->entries()[0]);
  EXPECT_EQ(View.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(View.status().message(),
            Reader->path() + ": entry 'lib.so#0' for 'gfx1100' is compressed; "
                             "read it into memory");
}

TEST(ArchiveReader, ReadIntoWantsTheExactSize) {
  ReaderPtr Reader = openGood("zstd");
  char Out[8];
  Status S = Reader->readInto(Reader->entries()[0], Out, sizeof(Out));
  EXPECT_EQ(S.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(S.message(), Reader->path() +
                             ": entry 'lib.so#0' for 'gfx1100' has 5 bytes, "
                             "the buffer 8; make it as large");
}

TEST(ArchiveReader, ShortFileOfAnotherVersionIsUnsupportedVersion) {
  std::string File = "KPAK";
  appendU32(File, 99);
  auto Reader = ArchiveReader::fromMemory(File, "new.kpack");
  ASSERT_FALSE(Reader.ok());
  EXPECT_EQ(Reader.status().code(), StatusCode::UnsupportedVersion);
  EXPECT_EQ(Reader.status().message(),
            "new.kpack: offset 4: container version 99 is not supported; "
            "update kpack");
}

TEST(ArchiveReader, MissingFileIsFileNotFound) {
  auto Reader = ArchiveReader::open("/nonexistent/a.kpack");
  ASSERT_FALSE(Reader.ok());
  EXPECT_EQ(Reader.status().code(), StatusCode::FileNotFound);
  EXPECT_EQ(
      Reader.status().message(),
      "/nonexistent/a.kpack: cannot open: No such file or directory; give the "
      "path of a file that can be read");
}

TEST(ArchiveReader, DirectoryAsArchive) {
  auto Reader = ArchiveReader::open("/");
  ASSERT_FALSE(Reader.ok());
  EXPECT_EQ(Reader.status().code(), StatusCode::IoError);
  EXPECT_EQ(Reader.status().message(),
            "/: not a regular file; give the path of one");
}

TEST(ArchiveReader, EveryTruncationIsNoticed) {
  std::string Whole =
      readFile(std::string(KPACK_ARCHIVE_INPUTS) + "/good/zstd.kpack");
  ASSERT_FALSE(Whole.empty());
  for (size_t Size = 0; Size != Whole.size(); ++Size)
    EXPECT_FALSE(
        ArchiveReader::fromMemory(std::string_view(Whole).substr(0, Size), "x")
            .ok())
        << Size;
  EXPECT_TRUE(ArchiveReader::fromMemory(Whole, "x").ok());
}

TEST(ArchiveReader, RefusesTooManyArchitectures) {
  std::string File = "KPAK";
  appendU32(File, 1);
  appendU64(File, 64);
  File.resize(64);
  File += map(1) + str("gfx_arches") + std::string("\xdd\x00\x01\x00\x01", 5);
  for (int I = 0; I != 65537; ++I)
    File += str("a");
  auto Reader = ArchiveReader::fromMemory(File, "x.kpack");
  ASSERT_FALSE(Reader.ok());
  EXPECT_NE(
      Reader.status().message().find("more than 65536 items in 'gfx_arches'"),
      std::string::npos);
}

// Kernels above 64 MiB are not allocated on the word of the archive. Their
// windows may be as large as zstd knows them: 2 GiB.
TEST(ArchiveReader, ReadsAKernelAboveTheTrustedSize) {
  for (unsigned WindowLog : {20, 28, 31}) {
    SCOPED_TRACE(WindowLog);
    std::string File =
        zstdArchive(rleFrame(150 * MiB, 150 * MiB, WindowLog), 150 * MiB);
    auto Reader = ArchiveReader::fromMemory(File, "x.kpack");
    ASSERT_TRUE(Reader.ok()) << Reader.status().message();
    Result<Buffer> Content = (*Reader)->read((*Reader)->entries()[0]);
    ASSERT_TRUE(Content.ok()) << Content.status().message();
    ASSERT_EQ(Content->size(), 150 * MiB);
    EXPECT_EQ(Content->bytes().find_first_not_of('\0'), std::string_view::npos);
  }
}

// Matches that reach back further than 128 MiB, which no window of streaming
// decompression holds.
TEST(ArchiveReader, ReadsAKernelWithMatchesFarBack) {
  std::string Far(MiB, '\0');
  std::minstd_rand Random(1);
  for (char &C : Far)
    C = static_cast<char>(Random() >> 8);
  std::string Code = Far + std::string(130 * MiB, 'x') + Far;
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> Context(ZSTD_createCCtx(),
                                                              ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_windowLog, 28);
  ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_enableLongDistanceMatching, 1);
  std::string Frame(ZSTD_compressBound(Code.size()), '\0');
  Frame.resize(ZSTD_compress2(Context.get(), Frame.data(), Frame.size(),
                              Code.data(), Code.size()));
  ASSERT_LT(Frame.size(), 3 * MiB / 2) << "the second part was not found";
  std::string File = zstdArchive(Frame, Code.size());
  auto Reader = ArchiveReader::fromMemory(File, "x.kpack");
  ASSERT_TRUE(Reader.ok()) << Reader.status().message();
  Result<Buffer> Content = (*Reader)->read((*Reader)->entries()[0]);
  ASSERT_TRUE(Content.ok()) << Content.status().message();
  EXPECT_TRUE(Content->bytes() == Code);
}

TEST(ArchiveReader, LargeKernelThatEndsEarly) {
  for (uint64_t Real : {MiB, 64 * MiB, 100 * MiB, 128 * MiB}) {
    SCOPED_TRACE(Real);
    std::string File =
        zstdArchive(lyingFrame(Real, 1000 * MiB, 27), 1000 * MiB);
    auto Reader = ArchiveReader::fromMemory(File, "x.kpack");
    ASSERT_TRUE(Reader.ok()) << Reader.status().message();
    const ArchiveEntry &Entry = (*Reader)->entries()[0];
    EXPECT_TRUE((*Reader)->checkEntry(Entry).ok());
    Result<Buffer> Content = (*Reader)->read(Entry);
    ASSERT_FALSE(Content.ok());
    EXPECT_EQ(Content.status().code(), StatusCode::DecompressionFailed);
    EXPECT_EQ(Content.status().message().find(
                  "x.kpack: offset 72: entry 'k' for 'a': zstd: "),
              0u)
        << Content.status().message();
  }
}

TEST(ArchiveReader, PromiseThatNoFrameCanKeep) {
  std::string File = zstdArchive(rleFrame(MiB, 1000 * MiB, 27), 1000 * MiB);
  auto Reader = ArchiveReader::fromMemory(File, "x.kpack");
  ASSERT_TRUE(Reader.ok()) << Reader.status().message();
  Status S = (*Reader)->checkEntry((*Reader)->entries()[0]);
  EXPECT_EQ(S.code(), StatusCode::InvalidFormat);
  EXPECT_EQ(S.message(),
            "x.kpack: offset 72: entry 'k' for 'a': the zstd frame promises "
            "1048576000 bytes, which 46 bytes cannot hold; the file is "
            "damaged, build or install it again");
}

TEST(ArchiveReader, HeadersOfAFileAreEnough) {
  TempDir Dir;
  auto Check = [&](const std::string &Frame, uint64_t Size) {
    std::string Path = Dir.file("x.kpack");
    std::ofstream(Path, std::ios::binary) << zstdArchive(Frame, Size);
    auto Reader = ArchiveReader::open(Path);
    EXPECT_TRUE(Reader.ok());
    return (*Reader)->checkEntry((*Reader)->entries()[0]).message();
  };
  EXPECT_NE(Check(rleFrame(MiB, 1000 * MiB, 27), 1000 * MiB)
                .find("the zstd frame promises 1048576000 bytes, which 46 "
                      "bytes cannot hold"),
            std::string::npos);
  EXPECT_EQ(Check(rleFrame(MiB, MiB, 27), MiB), "");
  EXPECT_NE(Check(rleFrame(MiB, MiB, 27), MiB + 1)
                .find("the table of contents says 1048577 bytes, the zstd "
                      "frame 1048576"),
            std::string::npos);
  // One after the other: the first header alone does not say how much.
  std::string Two = rleFrame(MiB, MiB, 27) + rleFrame(2 * MiB, 2 * MiB, 27);
  EXPECT_EQ(Check(Two, 3 * MiB), "");
  EXPECT_NE(Check(Two, 2 * MiB), "");
  // Nothing is allocated for a large promise that no blocks stand behind.
  std::string Large = rleFrame(200 * MiB, 200 * MiB, 27);
  EXPECT_EQ(Check(Large, 200 * MiB), "");
  Large.pop_back();
  EXPECT_NE(Check(Large, 200 * MiB).find("not a whole zstd frame"),
            std::string::npos);
  EXPECT_NE(Check("no frame", 8).find("not a whole zstd frame"),
            std::string::npos);
}

TEST(ArchiveReader, ThreadsShareOneReader) {
  TempDir Dir;
  std::string Path = Dir.file("a.kpack");
  {
    auto Writer = ArchiveWriter::create(Path, {});
    for (int I = 0; I != 64; ++I)
      ASSERT_TRUE((*Writer)
                      ->add("k#" + std::to_string(I), "gfx1100",
                            std::string(1000 + I, static_cast<char>(I)))
                      .ok());
    ASSERT_TRUE((*Writer)->commit().ok());
  }
  auto Reader = ArchiveReader::open(Path);
  ASSERT_TRUE(Reader.ok());
  std::vector<std::thread> Threads;
  std::vector<int> Wrong(4, 0);
  for (int &Count : Wrong)
    Threads.emplace_back([&] {
      for (int Round = 0; Round != 20; ++Round)
        for (const ArchiveEntry &Entry : (*Reader)->entries()) {
          Result<Buffer> Content = (*Reader)->read(Entry);
          int I = std::stoi(std::string(Entry.Binary.substr(2)));
          Count +=
              !Content.ok() ||
              Content->bytes() != std::string(1000 + I, static_cast<char>(I));
        }
    });
  for (std::thread &Thread : Threads)
    Thread.join();
  EXPECT_EQ(Wrong, std::vector<int>(4, 0));
}

TEST(ArchiveReader, ThreadsShareOneFrameIndex) {
  ReaderPtr Reader = openGood("zstd-two-kernels");
  std::vector<std::thread> Threads;
  std::vector<int> Right(4, 0);
  for (int &Count : Right)
    Threads.emplace_back(
        [&] { Count = Reader->read(Reader->entries()[1]).ok(); });
  for (std::thread &Thread : Threads)
    Thread.join();
  EXPECT_EQ(Right, std::vector<int>(4, 1));
}

//===----------------------------------------------------------------------===//
// Files that change while they are open
//===----------------------------------------------------------------------===//

namespace {

class OpenArchive : public ::testing::TestWithParam<CompressionScheme> {
protected:
  void SetUp() override {
    ArchiveWriterOptions Options;
    Options.Scheme = GetParam();
    auto Writer = ArchiveWriter::create(Path, Options);
    ASSERT_TRUE(Writer.ok());
    ASSERT_TRUE((*Writer)->add("one#0", "gfx90a", One).ok());
    ASSERT_TRUE((*Writer)->add("two#0", "gfx90a", Two).ok());
    ASSERT_TRUE((*Writer)->commit().ok());
    Result<std::unique_ptr<const ArchiveReader>> Opened =
        ArchiveReader::open(Path);
    ASSERT_TRUE(Opened.ok()) << Opened.status().message();
    Reader = std::move(*Opened);
  }

  const ArchiveEntry &entry(std::string_view Name) const {
    return *Reader->find(Name, "gfx90a");
  }

  void expectBoth() const {
    Result<Buffer> First = Reader->read(entry("one#0"));
    ASSERT_TRUE(First.ok()) << First.status().message();
    EXPECT_EQ(First->bytes(), One);
    std::string Second(Two.size(), ' ');
    Status S = Reader->readInto(entry("two#0"), Second.data(), Second.size());
    EXPECT_TRUE(S.ok()) << S.message();
    EXPECT_EQ(Second, Two);
  }

  void expectCutOff(const Status &S) const {
    EXPECT_EQ(S.code(), StatusCode::IoError);
    EXPECT_EQ(S.message(), Path + ": the file has become shorter since it was "
                                  "opened; install it again");
  }

  std::string write(const std::string &Name, const std::string &Bytes) const {
    std::ofstream(Dir.file(Name), std::ios::binary) << Bytes;
    return Dir.file(Name);
  }

  /// Closes what the reader has open, as daemons do, and lets its number be
  /// that of another file.
  void loseDescriptor(const std::string &Other) const {
    struct stat Archive, Info;
    ASSERT_EQ(::stat(Path.c_str(), &Archive), 0);
    for (int Descriptor = 3; Descriptor != 1024; ++Descriptor)
      if (::fstat(Descriptor, &Info) == 0 && Info.st_ino == Archive.st_ino &&
          Info.st_dev == Archive.st_dev) {
        int New = ::open(Other.c_str(), O_RDONLY);
        ASSERT_GE(New, 0);
        ASSERT_EQ(::dup2(New, Descriptor), Descriptor);
        ::close(New);
        return;
      }
    FAIL() << "the reader has no descriptor";
  }

  const test::TempDir Dir;
  const std::string Path = Dir.file("a.kpack");
  const std::string One = std::string(100000, 'a') + "end";
  const std::string Two = std::string(5000, 'b');
  std::unique_ptr<const ArchiveReader> Reader;
};

} // namespace

TEST_P(OpenArchive, TruncatedFileIsAnError) {
  ASSERT_EQ(::truncate(Path.c_str(), 70), 0);
  expectCutOff(Reader->read(entry("one#0")).status());
  std::string Out(One.size(), ' ');
  expectCutOff(Reader->readInto(entry("one#0"), Out.data(), Out.size()));
  if (GetParam() == CompressionScheme::None)
    expectCutOff(Reader->view(entry("one#0")).status());
  else
    expectCutOff(Reader->checkEntry(entry("one#0")));
  expectCutOff(Reader->readVerified(entry("two#0")).status());
  // What open() read is there: it was copied.
  EXPECT_EQ(Reader->binaries(),
            (std::vector<std::string_view>{"one#0", "two#0"}));
}

TEST_P(OpenArchive, OverwrittenFileGivesNoOtherBytes) {
  int File = ::open(Path.c_str(), O_WRONLY);
  ASSERT_GE(File, 0);
  std::string Other(Reader->fileSize(), '\x55');
  ASSERT_EQ(::write(File, Other.data(), Other.size()),
            static_cast<ssize_t>(Other.size()));
  ::close(File);
  EXPECT_FALSE(Reader->read(entry("one#0")).ok());
  EXPECT_FALSE(Reader->readVerified(entry("two#0")).ok());
}

TEST_P(OpenArchive, ReplacedFileStaysReadable) {
  ASSERT_EQ(::unlink(Path.c_str()), 0);
  expectBoth();
}

TEST_P(OpenArchive, SurvivesTheLossOfItsDescriptor) {
  loseDescriptor("/dev/null");
  expectBoth();
  expectBoth();
}

TEST_P(OpenArchive, DoesNotReadAnotherFileThatHasItsDescriptor) {
  loseDescriptor(write("other", std::string(Reader->fileSize(), 'x')));
  expectBoth();
}

TEST_P(OpenArchive, LostDescriptorAndNameAreAnError) {
  loseDescriptor("/dev/null");
  ASSERT_EQ(::unlink(Path.c_str()), 0);
  EXPECT_EQ(Reader->read(entry("one#0")).status().code(), StatusCode::IoError);
  write("a.kpack", std::string(Reader->fileSize(), 'x'));
  EXPECT_EQ(Reader->read(entry("one#0")).status().code(), StatusCode::IoError);
}

INSTANTIATE_TEST_SUITE_P(Schemes, OpenArchive,
                         ::testing::Values(CompressionScheme::None,
                                           CompressionScheme::ZstdPerKernel),
                         [](const auto &Info) {
                           return Info.param == CompressionScheme::None
                                      ? "None"
                                      : "ZstdPerKernel";
                         });
