//===- ResolverTest.cpp - tests of called kernels: compile and load -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../../lib/CkJit/Runtime/Resolver.h"
#include "../../../lib/CkJit/Runtime/ParallelFor.h"

#include "gtest/gtest.h"
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;

namespace {

const char *const Flags[] = {"-O1", "-I{root}/include", nullptr};
const char *const Symbols[] = {"_Z5firstv", "_Z6secondv", nullptr};
const ck_jit_blob Blobs[] = {
    {"alone", "alone.cpp", nullptr, nullptr, nullptr},
    {"pair", "pair.cpp", "{root}", Flags, Symbols},
};

class ResolverTest : public testing::Test {
protected:
  ResolverTest() {
    std::string Pattern = testing::TempDir() + "kpack-ckjit-XXXXXX";
    Folder = ::mkdtemp(Pattern.data());
    std::filesystem::create_directories(Folder + "/include");
    write("include/header.h", "#define VALUE 5\n");
    write("pair.cpp", "#include <header.h>\n"
                      "int first() { return VALUE; }\n"
                      "int second() { return VALUE + 1; }\n");
    write("alone.cpp", "int alone() { return 9; }\n");
    // The environment of the one who runs the tests has no part in them.
    for (const char *Name :
         {"CK_JIT_MODE", "CK_JIT_SYSTEM_CACHE", "CK_JIT_NAME", "CK_JIT_TARGET",
          "CK_JIT_VERBOSE", "CK_JIT_MANIFEST"})
      ::unsetenv(Name);
    ::setenv("CK_JIT_COMPILER", CKJIT_TEST_COMPILER, 1);
    ::setenv("CK_JIT_HELPER", CKJIT_TEST_HELPER, 1);
    ::setenv("CK_JIT_ROOT", Folder.c_str(), 1);
    Chosen.CacheDir = Folder + "/cache";
  }
  ~ResolverTest() override {
    std::error_code Ignored;
    std::filesystem::remove_all(Folder, Ignored);
  }

  void write(const std::string &Name, const std::string &Text) {
    std::ofstream(Folder + "/" + Name, std::ios::binary) << Text;
  }
  int call(Resolver &R, const char *Blob, const char *Symbol) {
    ck_jit_slot Slot{{nullptr}, Blob, Symbol, &Manifest};
    const ck_jit_failure *Why = nullptr;
    void *Address = R.resolve(Slot, Why);
    if (!Address) {
      Last = Why;
      return -1;
    }
    EXPECT_EQ(Slot.address.load(), Address);
    return reinterpret_cast<int (*)()>(Address)();
  }

  std::string Folder;
  Choices Chosen;
  const ck_jit_manifest Manifest = {CK_JIT_ABI, "test", nullptr, nullptr,
                                    Blobs,      2,      nullptr};
  const ck_jit_failure *Last = nullptr;
};

TEST_F(ResolverTest, OneBlobServesAllItsSymbols) {
  Resolver R(Chosen);
  EXPECT_EQ(call(R, "pair", "_Z5firstv"), 5);
  EXPECT_EQ(call(R, "pair", "_Z6secondv"), 6);
  EXPECT_EQ(call(R, "alone", "_Z5alonev"), 9);
  const ck_jit_statistics S = R.statistics();
  EXPECT_EQ(S.resolved, 3u);
  EXPECT_EQ(S.compiles, 2u);
  EXPECT_EQ(S.failures, 0u);
  EXPECT_GT(S.compile_seconds, 0);
}

TEST_F(ResolverTest, ThreadsShareOneCompile) {
  Resolver R(Chosen);
  ck_jit_slot Slot{{nullptr}, "alone", "_Z5alonev", &Manifest};
  std::vector<std::thread> Threads;
  for (int T = 0; T != 8; ++T)
    Threads.emplace_back([&] {
      const ck_jit_failure *Why = nullptr;
      void *Address = R.resolve(Slot, Why);
      ASSERT_NE(Address, nullptr) << Why->message;
      EXPECT_EQ(reinterpret_cast<int (*)()>(Address)(), 9);
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(R.statistics().compiles, 1u);
}

// None ends before all have begun; the limit is for the case that they never
// do.
TEST(ParallelForTest, AllRunAtOnceAndHaveEnded) {
  constexpr size_t Count = 3;
  std::mutex Lock;
  std::condition_variable Changed;
  size_t Begun = 0;
  std::vector<int> Together(Count);
  parallelFor(Count, [&](size_t I) {
    std::unique_lock<std::mutex> Held(Lock);
    ++Begun;
    Changed.notify_all();
    Together[I] = Changed.wait_for(Held, std::chrono::minutes(10),
                                   [&] { return Begun == Count; });
  });
  EXPECT_EQ(Together, std::vector<int>(Count, 1));
  parallelFor(0, [](size_t) { FAIL(); });
}

// A child that is forked while another thread compiles finds the blob's lock
// free, and waits for its parent as any process would.
TEST_F(ResolverTest, ForkWhileAnotherThreadCompiles) {
  write("helper", "#!/bin/sh\necho > '" + Folder + "/begun'\nwhile [ ! -e '" +
                      Folder + "/go' ]; do sleep 0.02; done\nexec " +
                      CKJIT_TEST_HELPER "\n");
  ::chmod((Folder + "/helper").c_str(), 0700);
  ::setenv("CK_JIT_HELPER", (Folder + "/helper").c_str(), 1);
  Resolver R(Chosen);
  std::thread Other([&] { EXPECT_EQ(call(R, "alone", "_Z5alonev"), 9); });
  while (!std::filesystem::exists(Folder + "/begun"))
    std::this_thread::yield();
  const pid_t Child = ::fork();
  if (Child == 0)
    ::_exit(call(R, "alone", "_Z5alonev") == 9 ? 0 : 1);
  write("go", "");
  Other.join();
  int Status = -1;
  EXPECT_EQ(::waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
}

TEST_F(ResolverTest, UnknownBlobsAndSymbolsAreNamed) {
  Resolver R(Chosen);
  EXPECT_EQ(call(R, "none", "x"), -1);
  EXPECT_EQ(Last->code, CK_JIT_NO_BLOB);
  EXPECT_STREQ(Last->blob, "none");
  EXPECT_EQ(call(R, "pair", "_Z5firstv"), 5);
  EXPECT_EQ(call(R, "pair", "_Z5thirdv"), -1);
  EXPECT_EQ(Last->code, CK_JIT_NO_SYMBOL);
  // That does not make the blob a bad one.
  EXPECT_EQ(call(R, "pair", "_Z6secondv"), 6);
  std::filesystem::remove(Folder + "/alone.cpp");
  EXPECT_EQ(call(R, "alone", "_Z5alonev"), -1);
  EXPECT_EQ(Last->code, CK_JIT_NO_SOURCE);
  ck_jit_manifest Old = Manifest;
  Old.abi = CK_JIT_ABI + 1;
  ck_jit_slot Slot{{nullptr}, "pair", "_Z5firstv", &Old};
  const ck_jit_failure *Why = nullptr;
  EXPECT_EQ(R.resolve(Slot, Why), nullptr);
  EXPECT_EQ(Why->code, CK_JIT_NO_BLOB);
  EXPECT_STREQ(Why->message, "the library was built for a newer libckjit; "
                             "install a newer libckjit");
  ck_jit_manifest None = Manifest;
  None.abi = 0;
  ck_jit_slot Other{{nullptr}, "pair", "_Z5firstv", &None};
  EXPECT_EQ(R.resolve(Other, Why), nullptr);
  EXPECT_STREQ(Why->message, "the library was built for another version of "
                             "libckjit; build it again");
}

TEST_F(ResolverTest, ManifestFileAddsBlobsTheLibraryLacks) {
  write("extra.cpp", "int extra() { return EXTRA; }\n");
  write("blobs.json", "[{\"kind\": \"blob\", \"n\": [1, {\"x\": null}],"
                      " \"source\": \"extra.cpp\", \"cwd\": \"" +
                          Folder +
                          "\", \"argv\": [\"-DEXTRA=\\u00347\", \"-c\","
                          " \"extra.cpp\", \"-o\", \"x.o\"]}]\n");
  ::setenv("CK_JIT_MANIFEST", (Folder + "/blobs.json").c_str(), 1);
  Resolver R(Chosen);
  EXPECT_EQ(call(R, "extra", "_Z5extrav"), 47);
  EXPECT_EQ(call(R, "missing", "_Z5extrav"), -1);
  EXPECT_EQ(Last->code, CK_JIT_NO_BLOB);
  // The installed one, without the variable.
  ::unsetenv("CK_JIT_MANIFEST");
  std::filesystem::rename(Folder + "/blobs.json",
                          Folder + "/ck_jit_manifest.json");
  Resolver Installed(Chosen);
  EXPECT_EQ(call(Installed, "extra", "_Z5extrav"), 47);
}

// A blob without a list of symbols: whichever is asked for first, all can be
// had, hidden ones too; inline ones by their names.
TEST_F(ResolverTest, EverySymbolOfABlobCanBeHad) {
  write("alone.cpp", "int alone() { return 9; }\n"
                     "__attribute__((visibility(\"hidden\"))) int other()"
                     " { return alone() + 1; }\n"
                     "template <int N> inline int weak() { return N; }\n"
                     "template int weak<11>();\n"
                     "static int none() { return 12; }\n"
                     "int (*keep)() = none;\n");
  Resolver R(Chosen);
  EXPECT_EQ(call(R, "alone", "_Z5otherv"), 10);
  EXPECT_EQ(call(R, "alone", "_Z5alonev"), 9);
  EXPECT_EQ(R.statistics().compiles, 1u);
  EXPECT_EQ(call(R, "alone", "_Z4weakILi11EEiv"), 11);
  EXPECT_EQ(call(R, "alone", "_ZL4nonev"), -1);
  EXPECT_EQ(Last->code, CK_JIT_NO_SYMBOL);
  EXPECT_NE(std::string(Last->message).find("it defines _Z5alonev"),
            std::string::npos);
  // A source that has nothing but inline ones.
  write("pair.cpp", "template <int N> inline int weak() { return N; }\n"
                    "template int weak<3>();\n");
  EXPECT_EQ(call(R, "pair", "_Z4weakILi3EEiv"), 3);
}

// A child of a process in which another thread is in the middle of a compile.
TEST_F(ResolverTest, ForkedChildrenResolve) {
  write("pair.cpp", "int first() { return 1; }\n");
  // A compiler that says when it is at pair.cpp, and goes on when it is told.
  const std::string Started = Folder + "/started", Go = Folder + "/go";
  ASSERT_EQ(::mkfifo(Started.c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(Go.c_str(), 0600), 0);
  write("compiler",
        "#!/bin/sh\ncase \" $* \" in *' -###'*) ;; *' -c -o '*'/pair.cpp '*)\n"
        "echo > '" +
            Started + "'; read -r Line < '" + Go +
            "';; esac\nexec '" CKJIT_TEST_COMPILER "' \"$@\"\n");
  ::chmod((Folder + "/compiler").c_str(), 0700);
  ::setenv("CK_JIT_COMPILER", (Folder + "/compiler").c_str(), 1);
  Resolver R(Chosen);
  std::thread Other(
      [&] { EXPECT_EQ(call(R, "pair", "_Z5firstv"), 1) << Last->message; });
  std::string Line;
  std::getline(std::ifstream(Started), Line);
  int Ends[2];
  ASSERT_EQ(::pipe(Ends), 0);
  const pid_t Child = ::fork();
  if (Child == 0) {
    const bool Another = call(R, "alone", "_Z5alonev") == 9;
    const bool Told = ::write(Ends[1], "", 1) == 1;
    // The one that the parent is at: waited for, as by any other process.
    ::_exit(Another && Told && call(R, "pair", "_Z5firstv") == 1 ? 0 : 1);
  }
  ASSERT_GT(Child, 0);
  ::close(Ends[1]);
  char Byte;
  EXPECT_EQ(::read(Ends[0], &Byte, 1), 1);
  ::close(Ends[0]);
  std::ofstream(Go) << "go\n";
  Other.join();
  int Status = -1;
  EXPECT_EQ(::waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
  EXPECT_EQ(R.statistics().compiles, 1u);
}

TEST(BlobManifestTest, AcceptsAllFormsAndNoOthers) {
  auto count = [](std::string_view Text) {
    auto File = BlobManifest::parse(Text, "m");
    return File.ok() ? int(File->blobs().size()) : -1;
  };
  const std::string Blob = R"({"source": "/a/b.c.cpp", "argv": ["-O2"]})";
  EXPECT_EQ(count("[" + Blob + "," + Blob + "]"), 2);
  EXPECT_EQ(count("{\"blobs\": [" + Blob + "], \"version\": -1.5e3}"), 1);
  EXPECT_EQ(count(Blob + "\n" + Blob + "\n"), 2);
  EXPECT_EQ(count(""), 0);
  for (size_t Length = 1; Length != Blob.size(); ++Length)
    EXPECT_EQ(count(Blob.substr(0, Length)), -1) << Length;
  for (const char *Bad :
       {"[", "]", "[1]", "{\"source\": 1}", "{\"source\": \"\\q\"}",
        "{\"source\": \"\\ud800\"}", "{\"source\": \"\\u0000\"}",
        "{\"argv\": [1]}", "{\"source\" \"x\"}"})
    EXPECT_EQ(count(Bad), -1) << Bad;
  EXPECT_EQ(count(std::string(100000, '[')), -1);
  EXPECT_EQ(count("{\"x\":" + std::string(100000, '[')), -1);
  auto File = BlobManifest::parse(
      R"({"source":"k\u00e9\ud83d\ude00.cpp","argv":[]})", "m");
  ASSERT_TRUE(File.ok());
  EXPECT_NE(File->find("k\u00e9\U0001f600"), nullptr);
}

// Within the pause nothing is run; after it, a key that has not changed is not
// compiled again, and one that has is.
TEST_F(ResolverTest, FailuresAreLookedAtAgain) {
  Resolver R(Chosen);
  write("alone.cpp", "int alone() { return }\n");
  EXPECT_EQ(call(R, "alone", "_Z5alonev"), -1);
  const ck_jit_failure *First = Last;
  EXPECT_EQ(First->code, CK_JIT_COMPILE);
  EXPECT_NE(std::string(First->message).find("expected expression"),
            std::string::npos);
  for (int I = 0; I != 1000; ++I) {
    EXPECT_EQ(call(R, "alone", "_Z5alonev"), -1);
    EXPECT_EQ(Last, First);
  }
  write("alone.cpp", "int alone() { return 10; }\n");
  int Value = -1;
  // Looked at again after a while; only a hang takes as long as the limit.
  for (int I = 0; I != 12000 && Value == -1;
       ++I, Value = call(R, "alone", "_Z5alonev"))
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(Value, 10);
  EXPECT_EQ(R.statistics().failures, 1u);
}

TEST_F(ResolverTest, MissingHelperIsReported) {
  ::setenv("CK_JIT_HELPER", "/no/such/helper", 1);
  Resolver R(Chosen);
  EXPECT_EQ(call(R, "alone", "_Z5alonev"), -1);
  EXPECT_EQ(Last->code, CK_JIT_NO_COMPILER);
  EXPECT_NE(std::string(Last->message).find("/no/such/helper: cannot be run"),
            std::string::npos);
}

} // namespace
