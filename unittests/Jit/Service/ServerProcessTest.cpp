//===- ServerProcessTest.cpp - tests of the resident compile server -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a served compile has in common with one by programs (all that can be
// seen), and what a program sees of its server (nothing).
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "Jit/Executor/Programs/ProgramSource.h"
#include "Jit/Service/Compile.h"
#include "Support/Process.h"
#include "Support/SignalMask.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <dirent.h>
#include <poll.h>
#include <regex>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// A variable as it is to be, while this lives.
class Setting {
public:
  Setting(const char *Name, const std::string &Value) : Name(Name) {
    if (const char *Old = ::getenv(Name))
      Before = Old;
    ::setenv(Name, Value.c_str(), 1);
  }
  ~Setting() {
    if (Before)
      ::setenv(Name, Before->c_str(), 1);
    else
      ::unsetenv(Name);
  }

private:
  const char *Name;
  std::optional<std::string> Before;
};

class ServerTest : public TestFolder {
protected:
  // The helper has a name by which its processes are found.
  ServerTest()
      : Helper(Folder + "/kpack-jit-compile"), Temporary("TMPDIR", Folder),
        Slots("XDG_RUNTIME_DIR", Folder) {
    std::filesystem::create_symlink(JIT_TEST_HELPER, Helper);
    Served.emplace(Helper, CompileRoute::Serve);
    Forked.emplace(JIT_TEST_HELPER);
  }
  ~ServerTest() override {
    Served.reset();
    EXPECT_TRUE(waitFor([&] { return processes().empty(); }))
        << "nothing is left when the program lets go";
  }
  void SetUp() override {
#if JIT_TEST_LLVM < 22
    GTEST_SKIP() << "no compilers can be mapped";
#endif
  }

  CompileRequest request(const std::string &Name, const std::string &Text) {
    CompileRequest R;
    R.Name = Name;
    R.Compiler = JIT_TEST_COMPILER;
    R.Source = Folder + "/" + Name + ".cpp";
    R.Flags = {"-O2"};
    R.LinkFlags = {"-fuse-ld=lld"};
    write(R.Source, Text);
    return R;
  }
  CompileRequest add() {
    return request("add", "extern \"C\" int add(int a, int b) "
                          "{ return a + b; }\n");
  }
  /// Takes about a second for two million.
  CompileRequest endless(int Millions = 1000) {
    CompileRequest R =
        request("endless", "constexpr int slow(int n) {\n  int s = 0;\n"
                           "  for (int i = 0; i < n; ++i)\n"
                           "    for (int k = 0; k < 1000000; ++k)\n"
                           "      s ^= i + k;\n  return s;\n}\n"
                           "constexpr int X = slow(" +
                               std::to_string(Millions) +
                               ");\nint f() { return X; }\n");
    R.Flags.push_back("-fconstexpr-steps=2147483647");
    return R;
  }
  CompileRequest kernel() {
    CompileRequest R = request("kernel", R"(
#include <hip_mini.h>
__global__ void saxpy(float *Y, const float *X, float A, int N) {
  int I = __builtin_amdgcn_workitem_id_x();
  int Unused;
  if (I < N)
    Y[I] += A * X[I];
}
extern "C" void run(float *Y, float *X) {
  saxpy<<<1, 64, 0, nullptr>>>(Y, X, 2.0f, 64);
}
)");
    R.Lang = Language::Hip;
    R.Target = "gfx90a";
    R.Flags = {"-O2",       "-Wall", "-std=c++17", "-nogpulib",
               "-nogpuinc", "-I",    JIT_TEST_HIP};
    R.LinkFlags.push_back("-Wl,--allow-shlib-undefined");
    return R;
  }

  /// Of this test: name (kpack-jit-serve and so on) and number.
  std::vector<std::pair<std::string, pid_t>> processes() const {
    std::vector<std::pair<std::string, pid_t>> Found;
    for (const auto &Entry : std::filesystem::directory_iterator("/proc")) {
      std::string Line, Name;
      std::getline(std::ifstream(Entry.path() / "cmdline"), Line);
      if (Line.find(Folder) != 0 || Line.find("--serve") == std::string::npos)
        continue;
      std::getline(std::ifstream(Entry.path() / "comm"), Name);
      Found.emplace_back(Name, std::atoi(Entry.path().filename().c_str()));
    }
    return Found;
  }
  /// A child has its server's name until it sets its own; only a server leads
  /// a session.
  std::vector<pid_t> servers() const {
    std::vector<pid_t> Found;
    for (const auto &[Name, Pid] : processes())
      if (Name == "kpack-jit-serve" && ::getsid(Pid) == Pid)
        Found.push_back(Pid);
    return Found;
  }
  std::vector<pid_t> processesNamed(const std::string &Wanted) const {
    std::vector<pid_t> Found;
    for (const auto &[Name, Pid] : processes())
      if (Name == Wanted)
        Found.push_back(Pid);
    std::sort(Found.begin(), Found.end());
    return Found;
  }
  bool hasProcess(const std::string &Wanted) const {
    return !processesNamed(Wanted).empty();
  }
  bool hasWarmCompiler() const { return hasProcess("kpack-jit-warm"); }
  /// Whether a request is being answered.
  bool isHelping() const { return hasProcess("kpack-jit-comp"); }
  template <typename Function> static bool waitFor(Function IsTrue) {
    for (int I = 0; I != 1500; ++I) {
      if (IsTrue())
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }
  /// Until all that it had open is closed, which its pidfd says; a process has
  /// no name any more before that.
  static void killAndWait(pid_t Pid) {
    UniqueFd Process = openProcess(Pid);
    ::kill(Pid, SIGKILL);
    pollfd Event = {Process.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&Event, 1, 30000), 1);
  }
  /// Until one has compiled something and waits.
  void waitForWarmCompiler() {
    EXPECT_TRUE(Served->compile(add()).ok());
    EXPECT_TRUE(waitFor([&] { return hasWarmCompiler(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }

  /// Without the names of temporary directories.
  static std::string plain(std::string Text) {
    return std::regex_replace(Text, std::regex("kpack-jit-[A-Za-z0-9]{6}/"),
                              "kpack-jit-NNNNNN/");
  }
  static std::vector<std::string> getSymbols(const Product &P) {
    std::vector<std::string> Symbols;
    for (const EntryFunction &F : P.Functions)
      Symbols.push_back(F.Name + " " + F.Symbol + " " + F.Type);
    return Symbols;
  }
  /// Both routes, and all that they say. The payload.
  std::string same(const CompileRequest &R) {
    Result<Product> One = Served->compile(R), Other = Forked->compile(R);
    EXPECT_EQ(One.ok(), Other.ok());
    EXPECT_EQ(One.status().code(), Other.status().code());
    EXPECT_EQ(shortened(One.status().message()),
              shortened(Other.status().message()));
    if (!One || !Other)
      return "";
    EXPECT_TRUE(One->Payload == Other->Payload) << R.Name;
    EXPECT_EQ(plain(One->Log), plain(Other->Log));
    EXPECT_EQ(getSymbols(*One), getSymbols(*Other));
    return One->Payload;
  }
  /// Of a crash only what is no address and no number of a process.
  std::string shortened(const std::string &Message) {
    size_t Crash = Message.find("PLEASE submit a bug report");
    return plain(Message.substr(0, Crash));
  }

  const std::string Helper;
  const Setting Temporary, Slots;
  std::optional<CompileService> Served, Forked;
};

TEST_F(ServerTest, ResultsMatchForkedCompiles) {
  // The first is done while the server gets warm, the others when it is.
  for (int Round = 0; Round != 3; ++Round) {
    EXPECT_NE(same(add()), "");
    EXPECT_NE(same(kernel()), "");
    waitForWarmCompiler();
  }
  // A warning, an error of the front end, of the driver and of the linker.
  EXPECT_NE(Served->compile(kernel())->Log.find("-Wunused-variable"),
            std::string::npos);
  EXPECT_EQ(same(request("wrong", "int f() { return nothing; }\n")), "");
  CompileRequest R = add();
  R.Flags.push_back("--no-such-option");
  EXPECT_EQ(same(R), "");
  R = add();
  R.LinkFlags.push_back("-lno-such-library");
  EXPECT_EQ(same(R), "");
  R = add();
  R.Flags.push_back("-fuse-ld=lld"); // the driver warns: it is not used
  R.Flags.push_back("-Wno-unused-command-line-argument");
  EXPECT_NE(same(R), "");
  R.Compiler = Folder + "/no-such-compiler";
  EXPECT_EQ(same(R), "");
  // And after all that.
  EXPECT_NE(same(kernel()), "");
}

// What executors ask for: texts that are in no file.
TEST_F(ServerTest, FunctionsOfTextsMatchForkedCompiles) {
  ProgramSource Host;
  Host.Compiler = JIT_TEST_COMPILER;
  Host.Text = "#include <cmath>\n#include \"mine.h\"\n"
              "int add(int a, int b) { return a + b; }\n"
              "double root(double x) { return mine(std::sqrt(x)); }\n";
  Host.Headers = {{"mine.h", "inline double mine(double x) { return x; }\n"}};
  Host.Entries = {{"add", "int (int, int)"}, {"root", ""}};
  ProgramSource Kernel;
  Kernel.Compiler = JIT_TEST_COMPILER;
  Kernel.Text = "template <int N> __global__ void scale(float *x) {\n"
                "  x[threadIdx.x] *= N;\n}\n";
  Kernel.Entries = {{"scale<3>", ""}};
  Kernel.Kind = UnitKind::Kernel;
  Kernel.Target = "gfx90a";
  for (int Round = 0; Round != 2; ++Round) {
    for (const ProgramSource &Source : {Host, Kernel}) {
      Result<CompileRequest> R = makeRequest(Source);
      ASSERT_TRUE(R.ok()) << R.status().message();
      EXPECT_NE(same(*R), "");
    }
    waitForWarmCompiler();
  }
  Host.Entries[0].Type = "int (int)"; // it has another
  EXPECT_EQ(same(*makeRequest(Host)), "");
}

TEST_F(ServerTest, InputFilesMatchForkedCompiles) {
  waitForWarmCompiler();
  for (const CompileRequest &R : {add(), kernel()}) {
    Result<FileNames> One = Served->scan(R), Other = Forked->scan(R);
    ASSERT_TRUE(One.ok() && Other.ok());
    EXPECT_EQ(One->Files, Other->Files);
    EXPECT_EQ(One->Named, Other->Named);
    EXPECT_EQ(One->Facts, Other->Facts);
    One = Served->tools(R);
    Other = Forked->tools(R);
    ASSERT_TRUE(One.ok() && Other.ok());
    EXPECT_EQ(One->Files, Other->Files);
    EXPECT_EQ(One->Linked, Other->Linked);
    EXPECT_EQ(One->Note, Other->Note);
  }
}

TEST_F(ServerTest, StartsNoCompilerProcess) {
  std::string Log = Folder + "/log";
  Setting Audit("LD_AUDIT", JIT_TEST_AUDIT), AuditLog("AUDIT_LOG", Log);
  std::filesystem::create_directory(Folder + "/here");
  write(Folder + "/here/relative.h", "// nothing\n");
  auto ProgramsOf = [&](const CompileService &Service) {
    std::filesystem::remove(Log);
    CompileRequest R = kernel();
    // What is looked for from where the compile runs.
    R.Directory = Folder + "/here";
    R.Flags.insert(R.Flags.end(), {"-include", "relative.h"});
    EXPECT_TRUE(Service.compile(R).ok());
    std::stringstream Text;
    Text << std::ifstream(Log).rdbuf();
    return Text.str();
  };
  // Each warm compiler asks once which libraries the compiler and lld have, and
  // which of them a command gets is chance.
  int InARow = 0;
  EXPECT_TRUE(waitFor([&] {
    InARow = ProgramsOf(*Served).empty() ? InARow + 1 : 0;
    return InARow == 5;
  }));
  std::string Programs = ProgramsOf(*Forked);
  EXPECT_NE(Programs.find("/clang"), std::string::npos);
  EXPECT_NE(Programs.find("/lld"), std::string::npos);
}

TEST_F(ServerTest, ACrashIsTheCompilersAlone) {
  waitForWarmCompiler();
  pid_t Server = servers().at(0);
  std::string Before = Served->compile(add())->Payload;
  // Somebody else's compile meanwhile.
  std::thread Other([&] {
    for (int I = 0; I != 5; ++I)
      EXPECT_TRUE(Served->compile(add())->Payload == Before);
  });
  CompileRequest Crash =
      request("crash", "#pragma clang __debug crash\nint f();\n");
  Result<Product> Product = Served->compile(Crash);
  EXPECT_FALSE(Product.ok());
  Other.join();
  EXPECT_EQ(same(Crash), "") << "the text is that of the program";
  EXPECT_EQ(servers(), std::vector<pid_t>{Server});
  EXPECT_TRUE(same(add()) == Before);
  // An error of LLVM's own ends a warm compiler, too.
  Crash = request("fatal", "#pragma clang __debug llvm_fatal_error\n");
  EXPECT_EQ(same(Crash), "");
  EXPECT_TRUE(same(add()) == Before);
}

TEST_F(ServerTest, OptionsOfLlvmAreForgotten) {
  std::string Text = "extern \"C\" void f(int *p) { for (int i = 0; i < 64; "
                     "++i) p[i] += i; }\n";
  CompileRequest Plain = request("loop", Text), Odd = Plain;
  Odd.Flags.insert(Odd.Flags.end(), {"-mllvm", "-unroll-threshold=1", "-mllvm",
                                     "-vectorize-loops=false", "-fno-vectorize",
                                     "-mllvm", "-x86-asm-syntax=intel"});
  waitForWarmCompiler();
  std::string Before = same(Plain);
  EXPECT_TRUE(same(Odd) != Before);
  waitForWarmCompiler();
  EXPECT_TRUE(same(Plain) == Before);
}

// A target machine stays for the next compile with the same arguments: none of
// these may find what another has left in it.
TEST_F(ServerTest, CompilesLeaveNothingInTheirTargetMachine) {
  static constexpr std::pair<const char *, const char *> Texts[] = {
      {"retained", "__attribute__((retain, used)) static int kept[4] = {1};\n"
                   "static int other[4] = {2};\n"
                   "int *f(int i) { return i ? kept : other; }\n"},
      {"strict", "double f(double a, double b) {\n"
                 "#pragma float_control(precise, on)\n  return a * b + a; }\n"},
      {"sections",
       "__attribute__((section(\"mine\"))) const char a[] = \"abc\";\n"
       "__attribute__((section(\"mine\"))) const long b = 1;\n"
       "const char *f(int i) { return i ? a : \"text\"; }\n"},
      {"wide", "__attribute__((target(\"avx2\"))) void f(int *p) {\n"
               "  for (int i = 0; i < 256; ++i) p[i] += i; }\n"
               "__attribute__((target(\"sse2\"))) void g(int *p) {\n"
               "  for (int i = 0; i < 256; ++i) p[i] += i; }\n"},
      {"slow", "__attribute__((optnone)) int f(int a) { return a * 2; }\n"
               "int g(int a) { return a * 2; }\n"},
      {"thrown", "int g(int); int h();\n"
                 "int f(int a) { try { return a ? g(a) : h(); }\n"
                 "  catch (int e) { return e; } catch (...) { return 1; } }\n"},
      {"wrong", "int f() { return \"\"; }\n"},
      {"switched", "int f(int a) { switch (a) { case 0: return 7;\n"
                   "case 1: return 9; case 2: return 1; case 3: return 8;\n"
                   "case 4: return 3; } return a; }\n"}};
  waitForWarmCompiler();
  for (const auto &[Name, Text] : Texts)
    for (const char *Mode :
         {"-ffp-contract=on", "-ffast-math", "-mcmodel=large", "-O0"}) {
      CompileRequest R = request(Name, Text);
      R.Flags.push_back(Mode);
      R.LinkFlags.push_back("-Wl,--allow-shlib-undefined");
      EXPECT_EQ(same(R).empty(), std::string(Name) == "wrong")
          << Name << " " << Mode;
    }
  for (int Round = 0; Round != 3; ++Round)
    for (const char *Use : {"Y[i] = a * Y[i];", "Y[i] = __builtin_sqrtf(Y[i]);",
                            "__shared__ float s[64]; s[i] = a; Y[i] = s[63 - "
                            "i];"}) {
      ProgramSource Kernel;
      Kernel.Compiler = JIT_TEST_COMPILER;
      Kernel.Text = "__global__ void scale(float *Y, float a) {\n"
                    "  int i = threadIdx.x;\n  " +
                    std::string(Use) + "\n}\n";
      Kernel.Entries = {{"scale", ""}};
      Kernel.Kind = UnitKind::Kernel;
      Kernel.Target = "gfx90a";
      EXPECT_NE(same(*makeRequest(Kernel)), "");
    }
}

TEST_F(ServerTest, RequestsDoNotShareDirectoryOrEnvironment) {
  CompileRequest R =
      request("where", "#include <here.h>\nint f() { return HERE; }\n");
  for (int I : {1, 2}) {
    std::string Headers = Folder + "/" + std::to_string(I);
    std::filesystem::create_directory(Headers);
    write(Headers + "/here.h", "#define HERE " + std::to_string(I) + "\n");
  }
  std::string First, Second;
  {
    Setting Path("CPATH", Folder + "/1");
    First = same(R);
  }
  {
    Setting Path("CPATH", Folder + "/2");
    Second = same(R);
  }
  EXPECT_NE(First, "");
  EXPECT_NE(Second, "");
  EXPECT_TRUE(First != Second);
  R.Flags = {"-O2", "-I1"};
  EXPECT_TRUE(same(R) == First);
  R.Directory = Folder + "/2";
  R.Flags = {"-O2", "-I."};
  EXPECT_TRUE(same(R) == Second);
}

TEST_F(ServerTest, AnotherCompilerIsAProgram) {
  // What it does besides shows that it has been run.
  std::string Script = Folder + "/clang++";
  write(Script, "#!/bin/sh\necho run >> " + Folder +
                    "/runs\nexec " JIT_TEST_COMPILER " \"$@\"\n");
  ::chmod(Script.c_str(), 0755);
  waitForWarmCompiler();
  CompileRequest R = add();
  R.Compiler = Script;
  EXPECT_TRUE(Served->compile(R)->Payload == Forked->compile(add())->Payload);
  EXPECT_TRUE(std::filesystem::exists(Folder + "/runs"));
  // The same by another name is served.
  std::filesystem::remove(Script);
  std::filesystem::create_symlink(JIT_TEST_COMPILER, Script);
  EXPECT_NE(same(R), "");
  // GNU ld, where it is installed, is not mapped.
  R.LinkFlags = {"-fuse-ld=bfd"};
  same(R);
}

TEST_F(ServerTest, ProgramSeesNoChildProcess) {
  sigset_t Ends = signalSet({SIGCHLD});
  SignalMask Held(Ends);
  EXPECT_TRUE(Served->compile(add()).ok());
  EXPECT_EQ(servers().size(), 1u);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1);
  EXPECT_EQ(errno, ECHILD);
  timespec Now = {};
  EXPECT_EQ(::sigtimedwait(&Ends, nullptr, &Now), -1);
}

/// Names of what is open.
std::vector<std::string> openFiles() {
  std::vector<std::string> Names;
  std::error_code Ignored;
  for (const auto &Entry : std::filesystem::directory_iterator("/proc/self/fd"))
    Names.push_back(Entry.path().filename().string() + " " +
                    std::filesystem::read_symlink(Entry, Ignored).string());
  return Names;
}

TEST_F(ServerTest, OneSocketStaysOpen) {
  size_t Before = openFiles().size();
  for (int I = 0; I != 3; ++I)
    EXPECT_TRUE(Served->compile(add()).ok());
  EXPECT_EQ(openFiles().size(), Before + 1);
}

TEST_F(ServerTest, ThreadsAskAtOnce) {
  std::string Expected = Forked->compile(add())->Payload;
  std::vector<std::thread> Threads;
  for (int I = 0; I != 4; ++I)
    Threads.emplace_back([&, I] {
      CompileRequest R = add();
      if (I % 2)
        R = request("thread" + std::to_string(I),
                    "extern \"C\" int f() { return 1; }\n");
      for (int K = 0; K != 3; ++K) {
        Result<Product> P = Served->compile(R);
        ASSERT_TRUE(P.ok()) << P.status().message();
        EXPECT_EQ(P->Payload == Expected, I % 2 == 0);
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(servers().size(), 1u);
}

TEST_F(ServerTest, ForkedChildStartsItsOwnServer) {
  EXPECT_TRUE(Served->compile(add()).ok());
  pid_t Ours = servers().at(0);
  int Pipe[2];
  ASSERT_EQ(::pipe(Pipe), 0);
  pid_t Child = ::fork();
  if (Child == 0) {
    (void)!::write(Pipe[1], Served->compile(add()).ok() ? "y" : "n", 1);
    while (true)
      ::pause();
  }
  char Answer = 0;
  EXPECT_EQ(::read(Pipe[0], &Answer, 1), 1);
  EXPECT_EQ(Answer, 'y');
  EXPECT_EQ(servers().size(), 2u);
  // The child does not keep ours alive.
  Served.reset();
  EXPECT_TRUE(waitFor([&] { return servers().size() == 1; }));
  EXPECT_NE(servers().at(0), Ours);
  // And its own ends with it, however that happens.
  ::kill(Child, SIGKILL);
  EXPECT_EQ(::waitpid(Child, nullptr, 0), Child);
  EXPECT_TRUE(waitFor([&] { return processes().empty(); }));
  ::close(Pipe[0]);
  ::close(Pipe[1]);
}

TEST_F(ServerTest, LostServerIsReplaced) {
  EXPECT_TRUE(Served->compile(add()).ok());
  pid_t First = servers().at(0);
  killAndWait(First);
  // Its own children, which end with it and a little later, hold its socket as
  // long: what is sent to nobody then is compiled without a server.
  EXPECT_TRUE(waitFor([&] {
    EXPECT_TRUE(Served->compile(add()).ok());
    return servers().size() == 1;
  }));
  ASSERT_EQ(servers().size(), 1u);
  EXPECT_NE(servers().at(0), First);
  // A compile that goes on does not hold the place of its server.
  std::thread Long([&] { (void)Served->compile(endless(2)); });
  EXPECT_TRUE(waitFor([&] { return isHelping(); }));
  killAndWait(servers().at(0));
  EXPECT_TRUE(Served->compile(add()).ok());
  EXPECT_TRUE(isHelping()) << "the other one's reply was waited for";
  Long.join();
  // Warm compilers that nobody expects to be gone.
  waitForWarmCompiler();
  for (pid_t Pid : processesNamed("kpack-jit-warm"))
    ::kill(Pid, SIGKILL);
  EXPECT_TRUE(Served->compile(add()).ok());
  EXPECT_TRUE(Served->compile(add()).ok());
}

TEST_F(ServerTest, AnIdleServerEnds) {
  // Enough to look before it ends, on a busy machine, too.
  Setting Seconds("KPACK_JIT_SERVE_SECONDS", "3");
  EXPECT_TRUE(Served->compile(add()).ok());
  EXPECT_EQ(servers().size(), 1u);
  EXPECT_TRUE(waitFor([&] { return processes().empty(); }));
  EXPECT_TRUE(Served->compile(add()).ok());
  EXPECT_EQ(servers().size(), 1u);
}

TEST_F(ServerTest, GrownWarmCompilerIsReplaced) {
  std::set<pid_t> Seen;
  auto Look = [&] {
    for (const auto &[Name, Pid] : processes())
      if (Name == "kpack-jit-warm")
        Seen.insert(Pid);
  };
  constexpr size_t MostAtOnce = 4;
  waitForWarmCompiler();
  std::string Bytes = same(add());
  CompileRequest Old = kernel();
  Old.Flags.push_back("-mcode-object-version=4");
  std::string New = same(kernel()), OfOld = same(Old);
  EXPECT_TRUE(New != OfOld);
  for (int I = 0; I != 10; ++I) {
    EXPECT_TRUE(Served->compile(add())->Payload == Bytes);
    EXPECT_TRUE(Served->compile(Old)->Payload == OfOld);
    EXPECT_TRUE(Served->compile(kernel())->Payload == New);
    Look();
  }
  EXPECT_LE(Seen.size(), MostAtOnce) << "they are as small as ever";
  Served.reset();
  Setting Limit("KPACK_JIT_SERVE_MEGABYTES", "1");
  Served.emplace(Helper, CompileRoute::Serve);
  Seen.clear();
  EXPECT_TRUE(waitFor([&] {
    EXPECT_TRUE(Served->compile(add())->Payload == Bytes);
    Look();
    return Seen.size() > MostAtOnce;
  }));
}

TEST_F(ServerTest, FailingServerIsTriedThreeTimes) {
  std::string Script = Folder + "/helper";
  write(Script, "#!/bin/sh\n[ \"$1\" != --serve ] || { echo serve >> " +
                    Folder + "/runs; exit 1; }\nexec " JIT_TEST_HELPER "\n");
  ::chmod(Script.c_str(), 0755);
  CompileService Service(Script, CompileRoute::Serve);
  for (int I = 0; I != 5; ++I)
    EXPECT_TRUE(Service.compile(add()).ok());
  std::stringstream Runs;
  Runs << std::ifstream(Folder + "/runs").rdbuf();
  EXPECT_EQ(Runs.str(), "serve\nserve\nserve\n");
}

TEST_F(ServerTest, AbandonedCompileLeavesNothing) {
  waitForWarmCompiler();
  CompileRequest Endless = endless();
  pid_t Child = ::fork();
  if (Child == 0) {
    CompileService Own(Helper, CompileRoute::Serve);
    (void)Own.compile(add());
    ::usleep(500000);
    (void)Own.compile(Endless);
    ::_exit(0);
  }
  // Its own server, with a helper and a compile.
  EXPECT_TRUE(waitFor([&] { return isHelping(); }));
  ::usleep(700000);
  ::kill(Child, SIGKILL);
  EXPECT_EQ(::waitpid(Child, nullptr, 0), Child);
  Served.reset();
  EXPECT_TRUE(waitFor([&] { return processes().empty(); }));
  for (const auto &Entry : std::filesystem::directory_iterator(Folder))
    if (Entry.is_directory() && !Entry.is_symlink())
      EXPECT_NE(Entry.path().filename().string().find("kpack-jit-"), 0u)
          << Entry.path();
}

TEST_F(ServerTest, SignalToTheServerDoesNotReachTheProgram) {
  waitForWarmCompiler();
  std::thread Long([&] {
    Result<Product> Done = Served->compile(endless(2));
    EXPECT_TRUE(Done.ok()) << Done.status().message();
  });
  EXPECT_TRUE(waitFor([&] { return isHelping(); }));
  for (const auto &[Name, Pid] : processes())
    ::kill(Pid, SIGTERM);
  Long.join();
}

TEST_F(ServerTest, AKilledHelperTakesItsCompilerAlong) {
  // Idle compilers outlast the test.
  Setting Seconds("KPACK_JIT_SERVE_SECONDS", "300");
  CompileRequest First = add(), Endless = endless();
  pid_t Child = ::fork();
  if (Child == 0) {
    (void)Served->compile(First);
    ::usleep(700000);
    (void)Served->compile(Endless);
    ::_exit(0);
  }
  EXPECT_TRUE(waitFor([&] { return hasWarmCompiler(); }));
  EXPECT_TRUE(waitFor([&] { return !isHelping(); }));
  EXPECT_TRUE(waitFor([&] { return isHelping(); }));
  ::usleep(500000);
  // The one that compiles ends. Another may wait, and does not.
  std::vector<pid_t> Before = processesNamed("kpack-jit-warm");
  EXPECT_FALSE(Before.empty());
  for (pid_t Pid : processesNamed("kpack-jit-comp"))
    ::kill(Pid, SIGKILL);
  EXPECT_TRUE(waitFor([&] {
    std::vector<pid_t> Now = processesNamed("kpack-jit-warm");
    return !std::includes(Now.begin(), Now.end(), Before.begin(), Before.end());
  }));
  ::kill(Child, SIGKILL);
  EXPECT_EQ(::waitpid(Child, nullptr, 0), Child);
}

TEST(CompileRouteTest, EnvironmentSelectsTheRoute) {
  EXPECT_EQ(*routeFromEnvironment(CompileRoute::Serve), CompileRoute::Serve);
  Setting Word("KPACK_JIT_ROUTE", "fork");
  EXPECT_EQ(*routeFromEnvironment(CompileRoute::Serve), CompileRoute::Fork);
  {
    Setting Other("KPACK_JIT_ROUTE", "serve");
    EXPECT_EQ(*routeFromEnvironment(CompileRoute::Fork), CompileRoute::Serve);
  }
  Setting Wrong("KPACK_JIT_ROUTE", "Serve");
  Result<CompileRoute> Route = routeFromEnvironment(CompileRoute::Fork);
  EXPECT_EQ(Route.status().message(),
            "KPACK_JIT_ROUTE=Serve: neither serve nor fork");
}

} // namespace
