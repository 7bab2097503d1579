//===- ExecutorCacheTest.cpp - tests of class Cache of executors ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The class Cache as a program uses it: opened, asked, limited, moved to
// another machine; and what is done without one.
//
//===----------------------------------------------------------------------===//
#include "ExecutorFixture.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>

using namespace kpack;
using namespace kpack::jit::executortest;

namespace {

class ExecutorCacheTest : public ExecutorTest {
protected:
  ex::CacheConfig config(const std::string &Where) const {
    return {.directory = Where,
            .compile_helper = JIT_TEST_HELPER,
            .on_event = [](const kpack_jit_event *, void *) {}};
  }
  ex::Cache opened(const ex::CacheConfig &Config) {
    Result<ex::Cache> Opened = ex::Cache::open(Config);
    return good(Opened);
  }
  ex::Cache opened(const std::string &Where) { return opened(config(Where)); }
  static ex::Options in(const ex::Cache &Where, int A,
                        std::vector<std::string> Flags = {}) {
    return {.constants = {ex::constant("a", A)},
            .opt = ex::OptLevel::O1,
            .flags = std::move(Flags),
            .cache = Where};
  }
  int add(const ex::Options &Options, const ex::Source &Text = Add) {
    auto Compiled = ex::compile<int(int)>(Text, Options);
    return good(Compiled)(2);
  }
  /// Paths of products and of lists of files in \p Where.
  std::vector<std::string> entries(const std::string &Where, bool Products) {
    std::vector<std::string> Found;
    jit::StoreOptions Options;
    Options.Directory = Where;
    Options.ReadOnly = true;
    auto Store = jit::Store::open(Options);
    if (!Store)
      return Found;
    for (const jit::StoreItem &Item : (*Store)->list()) {
      Result<jit::StoredEntry> Entry = (*Store)->describe(Item.Id);
      if (Entry && jit::isAuxiliaryKind(Entry->Info.Kind) != Products)
        Found.push_back(Entry->Path);
    }
    return Found;
  }
  size_t products(const std::string &Where) {
    return entries(Where, true).size();
  }
};

TEST_F(ExecutorCacheTest, ExplainNamesTheDifferences) {
  ex::Cache Where = opened(Directory);
  Result<ex::Explanation> E = Where.explain<int(int)>(Add, in(Where, 1));
  EXPECT_FALSE(good(E).cached);
  EXPECT_EQ(E->nearest, "");
  EXPECT_EQ(Where.stats().compiles, 0u);
  EXPECT_EQ(add(in(Where, 1)), 3);
  E = Where.explain<int(int)>(Add, in(Where, 1));
  EXPECT_TRUE(good(E).cached);
  EXPECT_EQ(E->nearest, E->key);
  EXPECT_TRUE(E->differences.empty());
  std::set<std::string> Fields;
  for (const auto &Field : E->fields)
    Fields.insert(Field.name);
  // The processor's abilities are among what the code depends on.
  for (const char *Name :
       {"source", "constants", "flag", "compiler", "entry", "processor"})
    EXPECT_TRUE(Fields.count(Name)) << Name;
  E = Where.explain<int(int)>(Add, in(Where, 2));
  EXPECT_FALSE(good(E).cached);
  ASSERT_EQ(E->differences.size(), 1u);
  EXPECT_EQ(E->differences[0].field, "constants");
  EXPECT_EQ(E->differences[0].before, "int a = 1ll;");
  EXPECT_EQ(E->differences[0].after, "int a = 2ll;");
  E = Where.explain<int(int)>(Add, in(Where, 1, {"-fno-plt"}));
  ASSERT_EQ(good(E).differences.size(), 1u);
  EXPECT_EQ(E->differences[0].after, "-fno-plt");
  EXPECT_EQ(E->differences[0].meaning, "flag added");
  EXPECT_EQ(Where.stats().compiles, 1u);
}

TEST_F(ExecutorCacheTest, PreloadLoadsWhatIsThere) {
  EXPECT_EQ(add(in(opened(Directory), 1)), 3);
  EXPECT_EQ(add(in(opened(Directory), 2)), 4);
  ex::Cache Where = opened(Directory);
  auto Mapped = [] {
    std::string Maps = read("/proc/self/maps");
    size_t Count = 0;
    for (size_t Offset = 0;
         (Offset = Maps.find(" r-xp ", Offset)) != std::string::npos; ++Offset)
      Count += Maps.substr(Offset, Maps.find('\n', Offset) - Offset)
                   .find(".entry") != std::string::npos;
    return Count;
  };
  size_t Before = Mapped();
  Result<uint64_t> Count = Where.preload();
  EXPECT_EQ(good(Count), 2u);
  EXPECT_EQ(Mapped(), Before + 2);
  EXPECT_EQ(add(in(Where, 1)), 3);
  EXPECT_EQ(Mapped(), Before + 2);
  EXPECT_EQ(Where.stats().compiles, 0u);
}

#ifdef JIT_TEST_REMOTE
TEST_F(ExecutorCacheTest, BundlesMoveEntries) {
  ex::Cache Source = opened(Directory);
  EXPECT_EQ(add(in(Source, 1)), 3);
  EXPECT_EQ(add(in(Source, 2)), 4);
  std::string Bundle = Folder + "/bundle.tar.zst";
  Result<uint64_t> Count = Source.export_to(Bundle);
  EXPECT_EQ(good(Count), 2u);
  std::string Elsewhere = Folder + "/elsewhere";
  ex::Cache Target = opened(Elsewhere);
  Count = Target.import_from(Bundle);
  EXPECT_EQ(good(Count), 2u);
  Count = Target.import_from(Bundle);
  EXPECT_EQ(good(Count), 0u);
  EXPECT_EQ(add(in(Target, 1)), 3);
  EXPECT_EQ(Target.stats().compiles, 0u);
  write(Bundle, "no bundle");
  EXPECT_EQ(Target.import_from(Bundle).status().code(),
            StatusCode::InvalidFormat);
  EXPECT_EQ(Target.import_from(Folder + "/none").status().code(),
            StatusCode::FileNotFound);
  ex::CacheConfig Off = config(Directory);
  Off.mode = ex::CacheMode::Off;
  EXPECT_EQ(opened(Off).export_to(Bundle).status().detail(),
            Errc::CacheUnusable);
}

#endif

TEST_F(ExecutorCacheTest, ClearForgetsAll) {
  ex::Cache Where = opened(Directory);
  auto Held = ex::compile<int(int)>(Add, in(Where, 1));
  EXPECT_EQ(products(Directory), 1u);
  EXPECT_TRUE(Where.clear().ok());
  EXPECT_EQ(products(Directory), 0u);
  EXPECT_EQ(add(in(Where, 1)), 3);
  EXPECT_EQ(Where.stats().compiles, 2u);
  EXPECT_EQ(good(Held)(2), 3);
  ex::CacheConfig Off = config(Directory);
  Off.mode = ex::CacheMode::Off;
  EXPECT_EQ(opened(Off).clear().detail(), Errc::CacheUnusable);
  EXPECT_EQ(opened(Off).prune().detail(), Errc::CacheUnusable);
}

// Lists of headers, one for each text here, are not among the three.
TEST_F(ExecutorCacheTest, CapacityCountsPrograms) {
  ex::CacheConfig Config = config(Directory);
  Config.capacity = 3;
  ex::Cache Where = opened(Config);
  for (int A = 1; A <= 5; ++A) {
    EXPECT_EQ(add(in(Where, A),
                  {.text = "#include <stddef.h>\n" + Add.text, .entry = "add"}),
              A + 2);
    EXPECT_EQ(products(Directory), size_t(std::min(A, 3)));
  }
  EXPECT_GT(entries(Directory, false).size(), 3u);
}

TEST_F(ExecutorCacheTest, TheLeastRecentlyUsedGoes) {
  ex::CacheConfig Config = config(Directory);
  Config.capacity = 3;
  ex::Cache Where = opened(Config);
  auto PathOf = [&](int A) {
    std::vector<std::string> Before = entries(Directory, true);
    EXPECT_EQ(add(in(Where, A)), A + 2);
    for (const std::string &Path : entries(Directory, true))
      if (std::find(Before.begin(), Before.end(), Path) == Before.end())
        return Path;
    return std::string();
  };
  std::vector<std::string> Paths = {PathOf(1), PathOf(2), PathOf(3)};
  int Age[] = {300, 900, 600};
  for (int I = 0; I < 3; ++I) {
    timespec Times[2] = {{::time(nullptr) - Age[I], 0},
                         {::time(nullptr) - Age[I], 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, Paths[I].c_str(), Times, 0), 0);
  }
  EXPECT_NE(PathOf(4), "");
  EXPECT_TRUE(std::filesystem::exists(Paths[0]));
  EXPECT_FALSE(std::filesystem::exists(Paths[1]));
  EXPECT_TRUE(std::filesystem::exists(Paths[2]));
}

TEST_F(ExecutorCacheTest, WithoutACacheEverythingIsCompiled) {
  std::string Place = Folder + "/process";
  ::setenv("KPACK_JIT_CACHE_DIR", Place.c_str(), 1);
  auto Runs = [&] {
    ex::Options Options{.constants = {ex::constant("a", 1)}, .cache = nullptr};
    auto Compiled = ex::compile<int(int)>(Add, Options);
    auto Again = ex::compile<int(int)>(Add, Options);
    if (!Compiled.ok() || !Again.ok())
      return Compiled.status().message() + Again.status().message();
    return std::to_string((*Compiled)(2) + (*Again)(2)) +
           (Again->program() == Compiled->program() ? " once" : " twice") +
           ", " + std::to_string(ex::Cache::process()->stats().compiles);
  };
  EXPECT_EQ(inChild("KPACK_JIT_MODE", "rw", Runs), "6 twice, 2");
  EXPECT_TRUE(entries(Place, true).empty());
  EXPECT_TRUE(entries(Place, false).empty());
  EXPECT_EQ(inChild("KPACK_JIT_MODE", "strict", Runs)
                .find("source.cpp: not in the cache"),
            0u);
  // As with a capacity of none in files, but that the process remembers.
  EXPECT_EQ(inChild("KPACK_JIT_FILE_CACHING_CAPACITY", "0",
                    [&] {
                      ex::Options Options{.constants = {ex::constant("a", 1)}};
                      auto Compiled = ex::compile<int(int)>(Add, Options);
                      auto Again = ex::compile<int(int)>(Add, Options);
                      return std::string(Compiled->program() == Again->program()
                                             ? "once"
                                             : "");
                    }),
            "once");
  EXPECT_TRUE(entries(Place, true).empty());
  ::unsetenv("KPACK_JIT_CACHE_DIR");
}

// Programs that nobody holds, in the cache of the process.
TEST_F(ExecutorCacheTest, VariablesLimitMemory) {
  std::string Place = Folder + "/process";
  ::setenv("KPACK_JIT_CACHE_DIR", Place.c_str(), 1);
  auto Loaded = [] {
    std::string Which;
    for (int A : {1, 2, 3})
      (void)ex::compile<int(int)>(Add, {.constants = {ex::constant("a", A)}});
    for (int A : {1, 2, 3})
      Which +=
          ex::Function<int(int)>(Add, {.constants = {ex::constant("a", A)}})
                  .try_get()
              ? "y"
              : "n";
    return Which;
  };
  EXPECT_EQ(inChild("KPACK_JIT_MEMORY_CAPACITY", "2", Loaded), "nyy");
  EXPECT_EQ(inChild("KPACK_JIT_MEMORY_CAPACITY", "100", Loaded), "yyy");
  ::unsetenv("KPACK_JIT_CACHE_DIR");
}

TEST_F(ExecutorCacheTest, TheBestIsMeasuredOnce) {
  ex::Cache Where = opened(Directory);
  std::vector<ex::Executor<int(int)>> Variants;
  for (int A : {5, 1, 3}) {
    auto Compiled = ex::compile<int(int)>(Add, in(Where, A));
    Variants.push_back(good(Compiled));
  }
  int Measured = 0;
  auto Measure = [&](const ex::Executor<int(int)> &F) {
    ++Measured;
    return double(F(0));
  };
  auto BestIn = [&](const ex::Cache &Cache, std::string_view Purpose) {
    auto Best = ex::best_of(std::span<const ex::Executor<int(int)>>(Variants),
                            Measure, Purpose, {.cache = Cache});
    return good(Best)(0);
  };
  EXPECT_EQ(BestIn(Where, "small"), 1);
  EXPECT_EQ(Measured, 3);
  // As another process would: what is known is in files.
  EXPECT_EQ(BestIn(opened(Directory), "small"), 1);
  EXPECT_EQ(Measured, 3);
  EXPECT_EQ(BestIn(Where, "large"), 1);
  EXPECT_EQ(Measured, 6);
  EXPECT_EQ(BestIn(nullptr, "large"), 1);
  EXPECT_EQ(Measured, 9);
  Variants.pop_back();
  EXPECT_EQ(BestIn(Where, "small"), 1);
  EXPECT_EQ(Measured, 11);
  auto Throws = [](const ex::Executor<int(int)> &) -> double { throw 7; };
  EXPECT_THROW(
      (void)ex::best_of(std::span<const ex::Executor<int(int)>>(Variants),
                        Throws, "other", {.cache = Where}),
      int);
}

TEST_F(ExecutorCacheTest, PreparedIsCompiledBefore) {
  ex::Cache Where = opened(Directory);
  {
    ex::Preparation Wanted;
    Wanted.add<int(int)>(Add, in(Where, 1));
    Wanted.add<int(int)>(Add, in(Where, 2));
    Wanted.add_program({.text = "__global__ void k() {}", .entry = ""}, {"k"},
                       {.target = "gfx90a", .cache = Where});
    EXPECT_FALSE(Wanted.ready());
    Wanted.start();
    Status Done = Wanted.wait();
    EXPECT_TRUE(Done.ok()) << Done.message();
    EXPECT_TRUE(Wanted.ready());
    EXPECT_EQ(Where.stats().compiles, 3u);
    ex::Function<int(int)> F(Add, in(Where, 1));
    EXPECT_TRUE(F.try_get().has_value());
    EXPECT_EQ(F(2), 3);
    EXPECT_EQ(Where.stats().compiles, 3u);
  }
  ex::Preparation Fails;
  bool IsDone = false;
  Fails.add_work([&] {
    IsDone = true;
    return Status::success();
  });
  Fails.add<int()>(Add, in(Where, 1));
  Fails.start();
  EXPECT_FALSE(Fails.wait().ok());
  EXPECT_TRUE(IsDone);
  EXPECT_EQ(Fails.wait().detail(), Errc::SignatureMismatch);
}

TEST_F(ExecutorCacheTest, OnlyCachedNeverCompiles) {
  ex::Cache Where = opened(Directory);
  auto Compiled = ex::compile<int(int)>(Add, in(Where, 1));
  ASSERT_TRUE(Compiled.ok()) << Compiled.status().message();
  ex::Cache Other = opened(Directory);
  auto Missing =
      ex::compile<int(int)>(Add, in(Other, 2), ex::Lookup::OnlyCached);
  EXPECT_EQ(Missing.status().detail(), Errc::MissingKernel);
  auto Found = ex::compile<int(int)>(Add, in(Other, 1), ex::Lookup::OnlyCached);
  ASSERT_TRUE(Found.ok()) << Found.status().message();
  EXPECT_EQ((*Found)(2), 3);
  EXPECT_EQ(Other.stats().compiles, 0u);
}

// What one process has used another one has before it needs it.
TEST_F(ExecutorCacheTest, RecordedIsCompiledBefore) {
  std::string Recording = Folder + "/recording", Place = Folder + "/process";
  ::setenv("KPACK_JIT_CACHE_DIR", Place.c_str(), 1);
  auto Uses = [] {
    int Sum = 0;
    for (int A : {1, 2, 1})
      if (auto Compiled =
              ex::compile<int(int)>(Add, {.constants = {ex::constant("a", A)}}))
        Sum += (*Compiled)(0);
    return std::to_string(Sum);
  };
  EXPECT_EQ(inChild("KPACK_JIT_RECORD", Recording.c_str(), Uses), "4");
  EXPECT_EQ(inChild("KPACK_JIT_RECORD", Recording.c_str(), Uses), "4");
  ::unsetenv("KPACK_JIT_CACHE_DIR");
  ex::Cache Where = opened(Directory);
  Result<uint64_t> Count = Where.prepare(Recording);
  EXPECT_EQ(good(Count), 2u);
  EXPECT_EQ(Where.stats().compiles, 2u);
  ex::Function<int(int)> F(
      Add, {.constants = {ex::constant("a", 2)}, .cache = Where});
  EXPECT_TRUE(F.try_get().has_value());
  EXPECT_EQ(F(1), 3);
  EXPECT_EQ(Where.stats().compiles, 2u);
  {
    ex::Cache InBackground = opened(Directory + ".background");
    ex::Preparation Wanted;
    Wanted.add_recorded(Recording, InBackground);
    Wanted.add_recorded(Folder + "/none", InBackground);
    Wanted.start();
    EXPECT_EQ(Wanted.wait().code(), StatusCode::FileNotFound);
    EXPECT_EQ(InBackground.stats().compiles, 2u);
  }
  std::string Whole = read(Recording);
  write(Recording, Whole.substr(0, Whole.size() - 1));
  EXPECT_EQ(Where.prepare(Recording).status().code(),
            StatusCode::InvalidFormat);
  write(Recording, "99999999999999999999\nx");
  EXPECT_EQ(Where.prepare(Recording).status().code(),
            StatusCode::InvalidFormat);
  std::filesystem::permissions(Recording, std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(Where.prepare(Recording).status().code(),
            StatusCode::InvalidArgument);
  EXPECT_EQ(Where.prepare(Folder + "/none").status().code(),
            StatusCode::FileNotFound);
}

TEST_F(ExecutorCacheTest, ExecutorsOutliveTheirCache) {
  std::optional<ex::Cache> Where = opened(Directory);
  auto Compiled = ex::compile<int(int)>(Add, in(*Where, 1));
  Where.reset();
  std::filesystem::remove_all(Directory);
  EXPECT_EQ(good(Compiled)(2), 3);
}

// What is loaded is there in a child, which can compile, too.
TEST_F(ExecutorCacheTest, ForkedChildrenUseAndCompile) {
  ex::Cache Where = opened(Directory);
  auto Compiled = ex::compile<int(int)>(Add, in(Where, 1));
  EXPECT_EQ(good(Compiled)(2), 3);
  EXPECT_EQ(inChild("KPACK_JIT_MODE", "rw",
                    [&] {
                      return std::to_string((*Compiled)(2)) + " " +
                             std::to_string(add(in(Where, 1))) + " " +
                             std::to_string(add(in(Where, 2)));
                    }),
            "3 3 4");
  EXPECT_EQ(add(in(Where, 2)), 4);
  EXPECT_EQ(Where.stats().compiles, 1u); // the child's is another process's
}

// A compiler that does not end; it is stopped, and that is remembered.
TEST_F(ExecutorCacheTest, CompilesHaveALimit) {
  std::string Helper = Folder + "/helper";
  write(Helper, "#!/bin/sh\nexec sleep 600\n");
  std::filesystem::permissions(Helper, std::filesystem::perms::owner_all);
  ex::CacheConfig Config = config(Directory);
  Config.timeout = 0.2;
  Config.compile_helper = Helper;
  ex::Cache Where = opened(Config);
  auto Compiled = ex::compile<int(int)>(Add, in(Where, 1));
  EXPECT_EQ(Compiled.status().detail(), Errc::CompileTimeout)
      << Compiled.status().message();
  EXPECT_EQ(Compiled.status().code(), StatusCode::IoError);
}

TEST_F(ExecutorCacheTest, LocaleAndTemporaryFolderAreNotInTheKey) {
  EXPECT_EQ(add(in(opened(Directory), 1)), 3);
  std::string Other = Folder + "/other";
  std::filesystem::create_directory(Other);
  EXPECT_EQ(inChild("LC_ALL", "de_DE.UTF-8",
                    [&] {
                      ::setenv("TMPDIR", Other.c_str(), 1);
                      ::setenv("LANG", "C.UTF-8", 1);
                      ::setenv("KPACK_JIT_VERBOSE", "1", 1);
                      if (::chdir(Other.c_str()) != 0)
                        return std::string("no folder");
                      ex::Cache Where = opened(Directory);
                      int Sum = add(in(Where, 1));
                      return std::to_string(Sum) + " " +
                             std::to_string(Where.stats().compiles);
                    }),
            "3 0");
}

TEST_F(ExecutorCacheTest, LastBitOfAConstantIsInTheKey) {
  ex::Cache Where = opened(Directory);
  ex::Source Get{.text = "double get() { return a; }", .entry = "get"};
  double One = 1, Next = std::nextafter(1.0, 2.0);
  for (double Value : {One, Next, One}) {
    auto Compiled = ex::compile<double()>(
        Get, {.constants = {ex::constant("a", Value)}, .cache = Where});
    EXPECT_EQ(good(Compiled)(), Value);
  }
  EXPECT_EQ(Where.stats().compiles, 2u);
}

// A header that appears in a folder that is searched before the one with the
// header that was found.
TEST_F(ExecutorCacheTest, NewEarlierHeaderCausesACompile) {
  std::filesystem::create_directories(Folder + "/first");
  std::filesystem::create_directories(Folder + "/second");
  write(Folder + "/second/value.h", "#define VALUE 1\n");
  ex::Source Get{.text = "#include <value.h>\nint get() { return VALUE; }",
                 .entry = "get"};
  auto Value = [&] {
    ex::Cache Where = opened(Directory);
    auto Compiled = ex::compile<int()>(
        Get, {.include_dirs = {Folder + "/first", Folder + "/second"},
              .cache = Where});
    return good(Compiled)() * 10 + int(Where.stats().compiles);
  };
  EXPECT_EQ(Value(), 11);
  EXPECT_EQ(Value(), 10);
  write(Folder + "/first/value.h", "#define VALUE 2\n");
  EXPECT_EQ(Value(), 21);
  EXPECT_EQ(Value(), 20);
}

} // namespace
