//===- SourceCacheTest.cpp - tests of cached compiles of sources ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "Jit/Executor/Cache/SourceCache.h"
#include "Jit/Executor/Load.h"
#include "Jit/Store/FileSet.h"

#include <algorithm>
#include <csignal>
#include <dlfcn.h>
#include <future>
#include <map>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class SourceCacheTest : public TestFolder {
protected:
  SourceCacheTest() {
    std::filesystem::create_directories(Folder + "/include one");
    std::filesystem::create_directories(Folder + "/tmp");
    write(Folder + "/include one/value.h", "#define VALUE 42\n");
    write(Folder + "/a b'c.cpp", "#include \"value.h\"\n"
                                 "int wanted() { return VALUE; }\n"
                                 "int other() { return 1; }\n");
    // What the helper leaves behind would be found here.
    if (const char *Value = ::getenv("TMPDIR"))
      OldTemporary = Value;
    ::setenv("TMPDIR", (Folder + "/tmp").c_str(), 1);
  }
  ~SourceCacheTest() override {
    if (OldTemporary)
      ::setenv("TMPDIR", OldTemporary->c_str(), 1);
    else
      ::unsetenv("TMPDIR");
  }

  CompileRequest request() {
    CompileRequest Request;
    Request.Name = "blob";
    Request.Compiler = JIT_TEST_COMPILER;
    Request.Source = Folder + "/a b'c.cpp";
    Request.Flags = {"-O1", "-fvisibility=hidden", "-I",
                     Folder + "/include one"};
    Request.Symbols = {"_Z6wantedv"};
    return Request;
  }
  std::unique_ptr<Cache> openCache(CacheMode Mode = CacheMode::ReadWrite) {
    CacheOptions Options;
    Options.Directory = Folder + "/cache";
    Options.Mode = Mode;
    Options.OnEvent = [](const CacheEvent &) {};
    return std::move(*Cache::open(std::move(Options)));
  }
  Result<StoredEntry> get(Cache &C, const CompileRequest &Request) {
    return SourceCache(C, Service).get(Request);
  }
  /// Calls the function of an entry.
  static int call(Result<StoredEntry> Entry) {
    if (!Entry.ok()) {
      ADD_FAILURE() << Entry.status().message();
      return -1;
    }
    auto Code = LoadedCode::load(std::move(*Entry));
    EXPECT_TRUE(Code.ok()) << Code.status().message();
    auto Address = Code->symbol("_Z6wantedv");
    EXPECT_TRUE(Address.ok()) << Address.status().message();
    return reinterpret_cast<int (*)()>(*Address)();
  }
  bool temporaryFilesAreGone() {
    return std::filesystem::is_empty(Folder + "/tmp");
  }

  CompileService Service{JIT_TEST_HELPER};
  std::optional<std::string> OldTemporary;
};

TEST_F(SourceCacheTest, CompilesOnceAndExportsOneSymbol) {
  auto C = openCache();
  auto First = get(*C, request());
  ASSERT_TRUE(First.ok()) << First.status().message();
  auto Code = LoadedCode::load(std::move(*First));
  ASSERT_TRUE(Code.ok()) << Code.status().message();
  EXPECT_TRUE(Code->symbol("_Z6wantedv").ok());
  EXPECT_FALSE(Code->symbol("_Z5otherv").ok());

  auto Next = openCache();
  EXPECT_EQ(call(get(*Next, request())), 42);
  EXPECT_EQ(Next->statistics().Hits, 1u);
  EXPECT_EQ(Next->statistics().Compiles, 0u);
  EXPECT_TRUE(temporaryFilesAreGone());
}

// A hit asks neither the compiler nor the helper anything.
TEST_F(SourceCacheTest, HitRunsNothing) {
  auto C = openCache();
  ASSERT_TRUE(get(*C, request()).ok());
  SourceCache Alone(*C, CompileService("/no/such/helper"));
  EXPECT_EQ(call(Alone.get(request())), 42);
}

// Nor does who only looks wait while another thread asks the compiler.
TEST_F(SourceCacheTest, CachedOnlyLookupDoesNotWait) {
  std::string Helper = Folder + "/helper";
  write(Helper, "#!/bin/sh\ncd '" + Folder +
                    "' && echo > begun\n"
                    "while [ ! -e go ]; do sleep 0.05; done\n"
                    "exec " JIT_TEST_HELPER " \"$@\"\n");
  ASSERT_EQ(::chmod(Helper.c_str(), 0755), 0);
  auto C = openCache();
  auto Compiled = std::async(std::launch::async, [&] {
    return SourceCache(*C, CompileService(Helper)).get(request()).status();
  });
  while (!std::filesystem::exists(Folder + "/begun"))
    std::this_thread::yield();
  auto Looked = std::async(std::launch::async, [&] {
    return SourceCache(*C, Service).get(request(), Freshness::There).status();
  });
  bool HasWaited =
      Looked.wait_for(std::chrono::seconds(20)) != std::future_status::ready;
  write(Folder + "/go", "");
  EXPECT_FALSE(HasWaited);
  EXPECT_EQ(Looked.get().detail(), Errc::MissingKernel);
  Status Outcome = Compiled.get();
  EXPECT_TRUE(Outcome.ok()) << Outcome.message();
}

TEST_F(SourceCacheTest, HeaderFlagAndSymbolAreInTheKey) {
  auto C = openCache();
  SourceCache Sources(*C, Service);
  const KeyRecord Before = *Sources.key(request());
  ASSERT_TRUE(get(*C, request()).ok());
  write(Folder + "/include one/value.h", "#define VALUE 43\n");
  const KeyRecord After = *Sources.key(request());
  auto Differences = explain(Before, After);
  ASSERT_EQ(Differences.size(), 1u);
  EXPECT_EQ(Differences[0].Name, "include value.h");
  EXPECT_EQ(call(get(*C, request())), 43);

  CompileRequest Other = request();
  Other.Flags[0] = "-O2";
  Differences = explain(After, *Sources.key(Other));
  ASSERT_EQ(Differences.size(), 1u);
  EXPECT_EQ(Differences[0].Name, "flag");
  EXPECT_EQ(Differences[0].Before, "-O1");
  EXPECT_EQ(Differences[0].After, "-O2");

  // Back again: that object is still there.
  write(Folder + "/include one/value.h", "#define VALUE 42\n");
  EXPECT_EQ(Sources.key(request())->Id, Before.Id);
}

// A header gets another link, which changes its stamp and nothing else: the
// first process that sees it writes down the new one, the next ones look at
// that alone.
TEST_F(SourceCacheTest, NewStampsAreKept) {
  auto Files = [&] {
    std::map<std::string, ino_t> All;
    for (const auto &Item :
         std::filesystem::recursive_directory_iterator(Folder + "/cache"))
      if (struct stat Info; Item.path().extension() == ".entry" &&
                            ::stat(Item.path().c_str(), &Info) == 0)
        All[Item.path()] = Info.st_ino;
    return All;
  };
  auto Changed = [&](const auto &Before) {
    size_t Count = 0;
    for (const auto &[Path, Inode] : Files())
      Count += Before.count(Path) == 0 || Before.at(Path) != Inode;
    return Count;
  };
  auto Settle = [] { std::this_thread::sleep_for(std::chrono::seconds(4)); };
  Settle(); // what is written just now has no stamp
  ASSERT_TRUE(get(*openCache(), request()).ok());
  auto Before = Files();
  EXPECT_EQ(call(get(*openCache(), request())), 42);
  EXPECT_EQ(Changed(Before), 0u);
  std::filesystem::create_hard_link(Folder + "/include one/value.h",
                                    Folder + "/link");
  Settle();
  EXPECT_EQ(call(get(*openCache(), request())), 42);
  EXPECT_EQ(Changed(Before), 1u) << "the list of headers";
  Before = Files();
  EXPECT_EQ(call(get(*openCache(), request())), 42);
  EXPECT_EQ(Changed(Before), 0u);
}

// A copy of the tree in another place has the same objects.
TEST_F(SourceCacheTest, PathsAreNotInTheKey) {
  auto C = openCache();
  ASSERT_TRUE(get(*C, request()).ok());
  std::filesystem::create_directories(Folder + "/moved");
  std::filesystem::copy(Folder + "/include one", Folder + "/moved/include");
  std::filesystem::copy(request().Source, Folder + "/moved/x.cpp");
  CompileRequest Moved = request();
  Moved.Source = Folder + "/moved/x.cpp";
  Moved.Flags.back() = Folder + "/moved/include";
  EXPECT_EQ(call(get(*C, Moved)), 42);
  EXPECT_EQ(C->statistics().Compiles, 1u);
}

TEST_F(SourceCacheTest, FailureHasTheCompilersMessage) {
  write(request().Source, "int wanted() { return 1 }\n");
  auto C = openCache();
  auto Failed = get(*C, request());
  ASSERT_FALSE(Failed.ok());
  EXPECT_EQ(Failed.status().code(), StatusCode::InvalidArgument);
  const std::string &Said = Failed.status().message();
  EXPECT_NE(Said.find("expected ';'"), std::string::npos) << Said;
  EXPECT_NE(Said.find("command: " JIT_TEST_COMPILER " -O1"), std::string::npos)
      << Said;
  EXPECT_NE(Said.find("'\\''c.cpp'"), std::string::npos) << Said;
  EXPECT_TRUE(temporaryFilesAreGone());
}

TEST_F(SourceCacheTest, MissingSymbolNamesTheDefinedOnes) {
  CompileRequest Request = request();
  Request.Symbols = {"_Z7missingv"};
  auto C = openCache();
  auto Failed = get(*C, Request);
  ASSERT_FALSE(Failed.ok());
  EXPECT_EQ(Failed.status().code(), StatusCode::KernelNotFound);
  EXPECT_NE(Failed.status().message().find(
                "does not define '_Z7missingv'; it defines _Z6wantedv"),
            std::string::npos)
      << Failed.status().message();
}

TEST_F(SourceCacheTest, WarningsAreKept) {
  CompileRequest Request = request();
  write(Request.Source, "#warning look here\nint wanted() { return 1; }\n");
  auto C = openCache();
  ASSERT_TRUE(get(*C, Request).ok());
  auto Hit = get(*C, Request);
  EXPECT_NE(Hit->Info.Log.find("look here"), std::string::npos);
}

TEST_F(SourceCacheTest, MissingCompilerIsNamed) {
  CompileRequest Request = request();
  Request.Compiler = "/no/such/clang++";
  auto C = openCache();
  auto Failed = get(*C, Request);
  ASSERT_FALSE(Failed.ok());
  EXPECT_EQ(Failed.status().code(), StatusCode::FileNotFound);
  EXPECT_NE(Failed.status().message().find("/no/such/clang++: cannot be run"),
            std::string::npos)
      << Failed.status().message();
}

TEST_F(SourceCacheTest, StrictModeNeverCompiles) {
  ASSERT_TRUE(get(*openCache(), request()).ok());
  auto Strict = openCache(CacheMode::Strict);
  EXPECT_EQ(call(get(*Strict, request())), 42);
  CompileRequest Other = request();
  Other.Flags.push_back("-DNEW");
  auto Missing = get(*Strict, Other);
  ASSERT_FALSE(Missing.ok());
  EXPECT_EQ(Missing.status().code(), StatusCode::KernelNotFound);
}

// Programs that ignore their children's ends, or collect all of them.
TEST_F(SourceCacheTest, WorksWhereSigchldIsIgnored) {
  const pid_t Child = ::fork();
  if (Child == 0) {
    ::signal(SIGCHLD, SIG_IGN);
    auto C = openCache();
    const bool Good = get(*C, request()).ok();
    write(request().Source, "broken");
    auto Failed = get(*C, request());
    ::_exit(Good && !Failed.ok() &&
                    Failed.status().code() == StatusCode::InvalidArgument
                ? 0
                : 1);
  }
  int Status = -1;
  ASSERT_EQ(::waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
}

TEST_F(SourceCacheTest, ProcessesCompileOnce) {
  std::vector<pid_t> Children;
  for (int P = 0; P != 16; ++P) {
    const pid_t Child = ::fork();
    if (Child == 0) {
      auto C = openCache();
      auto Found = get(*C, request());
      ::_exit(Found.ok() ? int(C->statistics().Compiles) : 100);
    }
    Children.push_back(Child);
  }
  int Compiles = 0;
  for (pid_t Child : Children) {
    int Status = -1;
    ASSERT_EQ(::waitpid(Child, &Status, 0), Child);
    ASSERT_TRUE(WIFEXITED(Status));
    Compiles += WEXITSTATUS(Status);
  }
  EXPECT_EQ(Compiles, 1);
  EXPECT_TRUE(temporaryFilesAreGone());
}

/// A compiler that says where it is and never ends.
static void writeEndlessCompiler(const std::string &Path,
                                 const std::string &Note) {
  std::ofstream(Path) << "#!/bin/sh\necho $$ >> '" << Note
                      << "'\nexec sleep 1000\n";
  ::chmod(Path.c_str(), 0700);
}
/// Its process; ends the test program if \p Child ends before there is one.
static pid_t waitForNote(const std::string &Note, pid_t Child) {
  while (true) {
    std::ifstream In(Note);
    pid_t Pid;
    if (In >> Pid)
      return Pid;
    if (::waitpid(Child, nullptr, WNOHANG) != 0)
      std::abort();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}
/// A process that has ended and that nobody has waited for is not alive: in a
/// container there may be nobody who does.
static bool isAlive(pid_t Pid) {
  std::ifstream In("/proc/" + std::to_string(Pid) + "/stat");
  std::string PidText, Name;
  char State = 'X';
  In >> PidText >> Name >> State; // the name is that of /bin/sleep or a shell
  return State != 'X' && State != 'Z';
}

// The program is killed in the middle of a compile: so are the compiler and its
// temporary files.
TEST_F(SourceCacheTest, NothingOutlivesAKilledProgram) {
  const std::string Note = Folder + "/note";
  writeEndlessCompiler(Folder + "/endless", Note);
  for (int Signal : {SIGKILL, SIGTERM}) {
    std::filesystem::remove(Note);
    const pid_t Child = ::fork();
    if (Child == 0) {
      CompileRequest Request = request();
      Request.Compiler = Folder + "/endless";
      (void)Service.compile(Request);
      ::_exit(0);
    }
    const pid_t Compiler = waitForNote(Note, Child);
    EXPECT_FALSE(temporaryFilesAreGone());
    ::kill(Child, Signal);
    ASSERT_EQ(::waitpid(Child, nullptr, 0), Child);
    // Nobody can be asked when they are gone; that they go is the test.
    while (isAlive(Compiler) || !temporaryFilesAreGone())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Control-C in a program that goes on afterwards.
TEST_F(SourceCacheTest, SignalToTheGroupStopsACompile) {
  const std::string Note = Folder + "/note";
  writeEndlessCompiler(Folder + "/endless", Note);
  for (int Signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(Note);
    const pid_t Child = ::fork();
    if (Child == 0) {
      ::setpgid(0, 0);
      ::signal(Signal, [](int) {});
      CompileRequest Request = request();
      Request.Compiler = Folder + "/endless";
      auto Stopped = Service.compile(Request);
      ::_exit(!Stopped.ok() && Stopped.status().code() == StatusCode::IoError
                  ? 0
                  : 1);
    }
    const pid_t Compiler = waitForNote(Note, Child);
    ::kill(-Child, Signal);
    int Status = -1;
    ASSERT_EQ(::waitpid(Child, &Status, 0), Child);
    EXPECT_EQ(Status, 0);
    EXPECT_TRUE(temporaryFilesAreGone());
    EXPECT_FALSE(isAlive(Compiler));
  }
}

// It may have been anybody who sent it: the source is not to blame.
TEST_F(SourceCacheTest, CompilerThatASignalEndsIsTriedAgain) {
  const std::string Compiler = Folder + "/crashing";
  for (const char *Line :
       {"kill -SEGV $$", "kill -KILL $$",
        "echo 'clang++: error: clang frontend command failed due to signal "
        "(use -v to see invocation)' >&2; exit 1"}) {
    std::ofstream(Compiler) << "#!/bin/sh\n" << Line << "\n";
    ::chmod(Compiler.c_str(), 0700);
    CompileRequest Request = request();
    Request.Compiler = Compiler;
    auto Failed = Service.compile(Request);
    ASSERT_FALSE(Failed.ok()) << Line;
    EXPECT_NE(Failed.status().code(), StatusCode::InvalidArgument) << Line;
    EXPECT_NE(Failed.status().message().find("ended by"), std::string::npos)
        << Failed.status().message();
  }
}

// Which libraries a program has is asked without running it.
TEST_F(SourceCacheTest, StaticProgramOfACompilerIsNotRun) {
  const std::string Program = Folder + "/static", Trace = Folder + "/ran";
  write(Folder + "/static.c",
        "static void call(long N, const char *P, long A) {\n"
        "  __asm__ volatile(\"syscall\" : \"+a\"(N) : \"D\"(P), \"S\"(A) : "
        "\"rcx\", \"r11\", \"memory\");\n}\n"
        "void _start(void) { call(85, \"" +
            Trace + "\", 0600); call(60, 0, 0); }\n");
  ASSERT_EQ(std::system((JIT_TEST_COMPILER " -x c -O1 -static -nostdlib -o '" +
                         Program + "' '" + Folder + "/static.c'")
                            .c_str()),
            0);
  ASSERT_EQ(std::system(("'" + Program + "'").c_str()), 0);
  ASSERT_TRUE(std::filesystem::remove(Trace)); // it would be seen
  const std::string Compiler = Folder + "/compiler";
  std::ofstream(Compiler) << "#!/bin/sh\ncase \"$*\" in *--dependency-file*) "
                             "exec " JIT_TEST_COMPILER " \"$@\";; esac\n"
                             "echo '\""
                          << Program << "\" \"-cc1\"' >&2\n";
  ::chmod(Compiler.c_str(), 0700);
  CompileRequest Request = request();
  Request.Compiler = Compiler;
  auto Tools = Service.tools(Request);
  ASSERT_TRUE(Tools.ok()) << Tools.status().message();
  auto &Programs = Tools->Files;
  EXPECT_NE(std::find(Programs.begin(), Programs.end(), Program),
            Programs.end());
  EXPECT_FALSE(std::filesystem::exists(Trace));
  // Those of a program that has some are found.
  Tools = Service.tools(request());
  ASSERT_TRUE(Tools.ok());
  EXPECT_TRUE(std::any_of(Tools->Files.begin(), Tools->Files.end(),
                          [](const auto &File) {
                            return File.find("/libc.so") != std::string::npos;
                          }));
}

TEST_F(SourceCacheTest, HipHalvesAreOneObject) {
  CompileRequest Request = request();
  Request.Source = Folder + "/kernel.hip";
  write(Request.Source,
        "#include <hip_mini.h>\n"
        "__global__ void kernel(int *P) { *P = 7; }\n"
        "int wanted() { return (int)(long)(void *)&kernel != 0; }\n");
  Request.Lang = Language::Hip;
  Request.Target = "gfx90a";
  Request.Flags = {"-O1", "-nogpulib", "-nogpuinc", "-fvisibility=hidden",
                   "-I",  JIT_TEST_HIP};
  auto C = openCache();
  auto Found = get(*C, Request);
  ASSERT_TRUE(Found.ok()) << Found.status().message();
  EXPECT_EQ(Found->Info.Target, "gfx90a");
  const std::string Object = payload(*Found);
  EXPECT_NE(Object.find("__CLANG_OFFLOAD_BUNDLE__"), std::string::npos);
  EXPECT_NE(Object.find("hipv4-amdgcn-amd-amdhsa--gfx90a"), std::string::npos);
  // Another GPU: another key.
  SourceCache Sources(*C, Service);
  const KeyRecord Before = *Sources.key(Request);
  Request.Target = "gfx942";
  auto Differences = explain(Before, *Sources.key(Request));
  ASSERT_EQ(Differences.size(), 1u);
  EXPECT_EQ(Differences[0].Name, "target");
}

TEST_F(SourceCacheTest, FileSetsAreCheckedByContent) {
  const std::string Path = Folder + "/file", Empty = Folder + "/empty";
  write(Path, "one");
  write(Empty, "");
  auto Set = FileSet::of({{Path, Empty}});
  ASSERT_TRUE(Set.ok()) << Set.status().message();
  auto Copy = FileSet::decode(Set->encode());
  ASSERT_TRUE(Copy);
  EXPECT_TRUE(Copy->unchanged());
  write(Path, "two"); // as long, and within the same tick perhaps
  EXPECT_FALSE(Copy->unchanged());
  write(Path, "one");
  EXPECT_TRUE(Copy->unchanged());
  std::filesystem::remove(Empty);
  EXPECT_FALSE(Copy->unchanged());
  const std::string Bytes = Set->encode();
  for (size_t Length = 0; Length != Bytes.size(); ++Length)
    EXPECT_FALSE(FileSet::decode(Bytes.substr(0, Length)));
}

TEST_F(SourceCacheTest, FlagsAreSplitByPurpose) {
  const SplitFlags Split = splitFlags(
      {"-c", "-o", "x.o", "-O3", "--offload-arch=gfx942",
       "--offload-arch=gfx90a", "-MD", "-MF", "x.d", "-I", "dir", "-Xclang",
       "-c", "-lamdhip64", "-L", "lib", "/s.cpp", "-DX=\"a b\"", "-shared"},
      "/s.cpp");
  EXPECT_EQ(Split.Compile,
            (std::vector<std::string>{"-O3", "-I", "dir", "-Xclang", "-c",
                                      "-DX=\"a b\""}));
  EXPECT_EQ(Split.Link, (std::vector<std::string>{"-lamdhip64", "-L", "lib"}));
  EXPECT_EQ(Split.Targets, (std::vector<std::string>{"gfx942", "gfx90a"}));
  EXPECT_EQ(Split.Lang, Language::Hip);
  EXPECT_EQ(flagsWithoutPaths(Split.Compile),
            (std::vector<std::string>{"-O3", "-Xclang", "-c", "-DX=\"a b\""}));
  // As compile_commands.json has it: the source in full, the word as it was.
  for (const char *Word : {"generated/a.cpp", "./generated/../generated/a.cpp",
                           "/build/generated/a.cpp"})
    for (const char *Source : {"generated/a.cpp", "/build/generated/a.cpp"})
      EXPECT_EQ(
          splitFlags({"-O1", Word, "other.cpp"}, Source, "/build").Compile,
          (std::vector<std::string>{"-O1", "other.cpp"}))
          << Word << " " << Source;
}

} // namespace
