//===- StatisticsTest.cpp - tests of a cache's statistics -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "Jit/Executor/Cache/Cache.h"
#include "Jit/Store/StatisticsRecorder.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class StatisticsTest : public TestFolder {
protected:
  StatisticsTest() { open(); }

  std::string cacheFolder() const { return Folder + "/cache"; }
  std::unique_ptr<Cache> openCache(CacheMode Mode = CacheMode::ReadWrite) {
    CacheOptions Options;
    Options.Directory = cacheFolder();
    Options.Mode = Mode;
    Options.OnEvent = [](const CacheEvent &) {};
    return std::move(*Cache::open(std::move(Options)));
  }
  static Result<StoredEntry> get(Cache &C, const std::string &Source,
                                 bool Fails = false) {
    CacheRequest Request;
    Request.Key = key(Source);
    Request.Name = Source;
    Request.Target = "gfx90a";
    return C.get(Request, [&]() -> Result<Product> {
      if (Fails)
        return Status(StatusCode::InvalidArgument, "no");
      return Product{"code", ""};
    });
  }
  std::vector<KernelStatistics> rows() {
    auto Read = readStatistics(cacheFolder());
    EXPECT_TRUE(Read.ok()) << Read.status().message();
    return Read.ok() ? std::move(*Read) : std::vector<KernelStatistics>();
  }
  static KernelStatistics row(const std::string &Name, uint64_t Hits,
                              uint64_t LastUse = 1) {
    KernelStatistics Row;
    Row.Name = Name;
    Row.Hits = Hits;
    Row.LastUse = LastUse;
    return Row;
  }
  static StatisticsTable table(const std::vector<KernelStatistics> &Rows) {
    StatisticsTable Table;
    for (const KernelStatistics &Row : Rows)
      addRow(Table, Row);
    return Table;
  }
  size_t filesInStats() {
    size_t Count = 0;
    for (const auto &File :
         std::filesystem::directory_iterator(cacheFolder() + "/stats"))
      Count += File.exists();
    return Count;
  }
};

TEST_F(StatisticsTest, CountsOfAllCachesAreSummed) {
  EXPECT_TRUE(rows().empty());
  for (int I = 0; I != 3; ++I) {
    auto C = openCache();
    EXPECT_TRUE(get(*C, "a").ok());
    EXPECT_TRUE(get(*C, "a").ok());
    EXPECT_FALSE(get(*C, "b", true).ok());
  }
  auto Rows = rows();
  ASSERT_EQ(Rows.size(), 2u);
  EXPECT_EQ(Rows[0].Name, "a");
  EXPECT_EQ(Rows[0].Target, "gfx90a");
  EXPECT_EQ(Rows[0].Hits, 5u);
  EXPECT_EQ(Rows[0].Misses, 1u);
  EXPECT_EQ(Rows[0].Compiles, 1u);
  EXPECT_EQ(Rows[0].Failures, 0u);
  EXPECT_EQ(Rows[0].Bytes, std::filesystem::file_size(pathOf("a")));
  EXPECT_GT(Rows[0].LastUse, 1700000000u);
  EXPECT_EQ(Rows[1].Name, "b");
  EXPECT_EQ(Rows[1].Compiles, 3u);
  EXPECT_EQ(Rows[1].Failures, 3u);
  EXPECT_EQ(Rows[1].Bytes, 0u);
  const KernelStatistics Total = computeTotal(Rows);
  EXPECT_EQ(Total.Hits, 5u);
  EXPECT_EQ(Total.Compiles, 4u);
  EXPECT_EQ(Total.Bytes, Rows[0].Bytes);
  ASSERT_TRUE(clearStatistics(cacheFolder()).ok());
  EXPECT_TRUE(rows().empty());
  EXPECT_TRUE(get(*openCache(), "a").ok());
  ASSERT_EQ(rows().size(), 1u);
  EXPECT_EQ(rows()[0].Hits, 1u);
}

TEST_F(StatisticsTest, ReadOnlyModesWriteNothing) {
  EXPECT_TRUE(get(*openCache(), "a").ok());
  for (CacheMode Mode :
       {CacheMode::ReadOnly, CacheMode::Strict, CacheMode::Off})
    EXPECT_TRUE(get(*openCache(Mode), "a").ok());
  ASSERT_EQ(rows().size(), 1u);
  EXPECT_EQ(computeTotal(rows()).Hits + computeTotal(rows()).Misses, 1u);
}

// The cache is never destroyed, as that of libckjit; a forked child does not
// count again what its parent has counted.
TEST_F(StatisticsTest, ProcessesCountWhenTheyEnd) {
  Cache *C = openCache().release();
  EXPECT_TRUE(get(*C, "a").ok());
  EXPECT_TRUE(get(*C, "a").ok()); // not written yet
  for (int P = 0; P != 4; ++P)
    if (const pid_t Child = ::fork(); Child == 0) {
      (void)get(*C, "a");
      ::exit(0);
    } else
      ASSERT_EQ(::waitpid(Child, nullptr, 0), Child);
  ASSERT_EQ(rows().size(), 1u);
  EXPECT_EQ(rows()[0].Hits, 4u);
  delete C;
  EXPECT_EQ(rows()[0].Hits, 5u);
}

// So many that the log is folded into the table again and again.
TEST_F(StatisticsTest, ProcessesAndThreadsCountTogether) {
  constexpr int Processes = 4, Threads = 2, Times = 25, Kernels = 64;
  std::vector<pid_t> Children;
  for (int P = 0; P != Processes; ++P) {
    const pid_t Child = ::fork();
    if (Child == 0) {
      auto Where = open();
      auto count = [&] {
        StatisticsRecorder Recorder(Where->descriptor());
        for (int I = 0; I != Times; ++I) {
          for (int K = 0; K != Kernels; ++K)
            Recorder.record(row(std::string(200, 'k') + std::to_string(K), 1));
          Recorder.flush();
        }
      };
      std::thread Other(count);
      count();
      Other.join();
      ::_exit(0);
    }
    Children.push_back(Child);
  }
  for (pid_t Child : Children)
    ASSERT_EQ(::waitpid(Child, nullptr, 0), Child);
  EXPECT_TRUE(std::filesystem::exists(cacheFolder() + "/stats/table"));
  auto Rows = rows();
  // A flush that meets a fold waits for the next; the last ones may be lost.
  ASSERT_EQ(Rows.size(), size_t(Kernels));
  for (const KernelStatistics &Row : Rows) {
    EXPECT_LE(Row.Hits, uint64_t(Processes * Threads * Times));
    EXPECT_GE(Row.Hits, 1u);
  }
  EXPECT_LE(filesInStats(), 2u);
}

TEST_F(StatisticsTest, EveryCountIsFoldedOnce) {
  auto Where = open();
  StatisticsFile File(Where->descriptor());
  const std::string Name(400, 'x');
  uint64_t Sum = 0;
  while (!std::filesystem::exists(cacheFolder() + "/stats/table"))
    ASSERT_TRUE(File.append(table({row(Name, ++Sum), row("b", 1)})));
  EXPECT_EQ(filesInStats(), 1u); // the log is gone
  // What a fold leaves that was killed before it removed the log.
  write(cacheFolder() + "/stats/log-1", "7\t0\t0\t0\t0\t0\t0\t1\t\tb\n");
  EXPECT_EQ(File.read()[0].Hits, Sum);
  ASSERT_TRUE(File.append(table({row("b", 1)})));
  EXPECT_EQ(File.read()[0].Hits, Sum + 1);
  EXPECT_EQ(File.read()[1].Hits, Sum * (Sum + 1) / 2);
}

TEST_F(StatisticsTest, DamageIsPassedOver) {
  auto Where = open();
  StatisticsFile File(Where->descriptor());
  ASSERT_TRUE(File.append(table({row("good", 1)})));
  std::ofstream(cacheFolder() + "/stats/log-1", std::ios::app)
      << "\n1\t2\n-1\t0\t0\t0\t0\t0\t0\t1\t\tnegative\n"
      << "99999999999999999999\t0\t0\t0\t0\t0\t0\t1\t\ttoo much\n"
      << "1\t0\t0\t0\t0\t0\t0\t1\t\ta\ttab\n"
      << "18446744073709551615\t0\t0\t0\t0\t0\t0\t1\t\tgood\n"
      << "1\t0\t0\t0\t0\t0\t0\t1\t\t\x1b[31mred\n"
      << "1\t0\t0\t0\t0\t0\t0\t1\t\tnot finished";
  ASSERT_TRUE(File.append(table({row("later", 2)})));
  auto Rows = File.read();
  ASSERT_EQ(Rows.size(), 4u);
  EXPECT_EQ(Rows[0].Name, "?[31mred");
  EXPECT_EQ(Rows[1].Name, "good");
  EXPECT_EQ(Rows[1].Hits, UINT64_MAX);
  EXPECT_EQ(Rows[2].Name, "later");
  EXPECT_EQ(Rows[3].Name, "not finished");
}

// A column that earlier versions did not write, and pass over.
TEST_F(StatisticsTest, FetchedIsKept) {
  auto Where = open();
  StatisticsFile File(Where->descriptor());
  KernelStatistics Some = row("a", 1);
  Some.Fetched = 3;
  ASSERT_TRUE(File.append(table({Some, row("b", 1)})));
  ASSERT_TRUE(File.append(table({Some})));
  const std::string Log = read(cacheFolder() + "/stats/log-1");
  EXPECT_NE(Log.find("\ta\t3\n"), std::string::npos);
  EXPECT_NE(Log.find("\tb\n"), std::string::npos);
  auto Rows = File.read();
  ASSERT_EQ(Rows.size(), 2u);
  EXPECT_EQ(Rows[0].Fetched, 6u);
  EXPECT_EQ(Rows[1].Fetched, 0u);
  EXPECT_EQ(computeTotal(Rows).Fetched, 6u);
}

TEST_F(StatisticsTest, OnlyRegularFilesAreTouched) {
  auto Where = open();
  StatisticsFile File(Where->descriptor());
  const std::string Stats = cacheFolder() + "/stats";
  write(Folder + "/precious", "text");
  std::filesystem::create_directory(Stats);
  std::filesystem::create_symlink(Folder + "/precious", Stats + "/log-1");
  EXPECT_FALSE(File.append(table({row("a", 1)})));
  EXPECT_EQ(read(Folder + "/precious"), "text");
  std::filesystem::remove(Stats + "/log-1");
  // Another name of a file is as good as a link.
  std::filesystem::create_hard_link(Folder + "/precious", Stats + "/log-1");
  EXPECT_FALSE(File.append(table({row("a", 1)})));
  EXPECT_EQ(read(Folder + "/precious"), "text");
  std::filesystem::remove(Stats + "/log-1");
  ASSERT_EQ(::mkfifo((Stats + "/table").c_str(), 0600), 0);
  EXPECT_TRUE(File.append(table({row("a", 1)}))); // does not wait for a writer
  std::filesystem::remove_all(Stats);
  std::filesystem::create_directory_symlink(Folder, Stats);
  EXPECT_FALSE(File.append(table({row("a", 1)})));
  EXPECT_TRUE(File.read().empty());
}

// Rows beyond the limit lose their names, not their counts.
TEST_F(StatisticsTest, TableIsBounded) {
  auto Where = open();
  StatisticsFile File(Where->descriptor());
  uint64_t Added = 0;
  for (int Batch = 0; Batch != 10; ++Batch) {
    StatisticsTable Table;
    for (int K = 0; K != 4000; ++K, ++Added)
      addRow(Table, row("kernel-" + std::to_string(Added), 1, Added + 1));
    ASSERT_TRUE(File.append(Table));
  }
  auto Rows = File.read();
  EXPECT_EQ(computeTotal(Rows).Hits, Added);
  EXPECT_LT(Rows.size(), Added);
  EXPECT_EQ(Rows[0].Name, "");
  EXPECT_GT(Rows[0].Hits, 1u);
}

TEST_F(StatisticsTest, FullLogTakesNoMore) {
  auto Where = open();
  StatisticsFile File(Where->descriptor());
  ASSERT_TRUE(File.append(table({row("a", 1)})));
  std::filesystem::resize_file(cacheFolder() + "/stats/log-1", 5 << 20);
  EXPECT_FALSE(File.append(table({row("a", 1)})));
}

} // namespace
