//===- ProgramCacheTest.cpp - tests of loaded programs in memory ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "Jit/Executor/Programs/ProgramCache.h"
#include "Jit/Executor/Programs/SourceUnit.h"

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <future>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class ProgramCacheTest : public TestFolder {
protected:
  /// A function that gives \p Value, and counts its calls.
  static CompileRequest request(int Value) {
    CompileRequest Request;
    Request.Name = "unit";
    Request.Compiler = JIT_TEST_COMPILER;
    Request.Source = "unit.cpp";
    Request.Text =
        *makeUnit("int calls;\n"
                  "int value() { ++calls; return Value; }\n"
                  "int count() { return calls; }\n",
                  {}, {{"Value", "int", std::to_string(Value)}},
                  {{"value", "int ()"}, {"count", "int ()"}}, UnitKind::Host);
    Request.Entries = {"value", "count"};
    Request.Flags = {"-O1", "-std=c++20"};
    Request.LinkFlags = {"-fuse-ld=lld"};
    Request.Symbols = {EntryTableSymbol};
    return Request;
  }
  static int call(const Result<ProgramRef> &Program, size_t Index = 0) {
    if (!Program.ok()) {
      ADD_FAILURE() << Program.status().message();
      return -1;
    }
    return reinterpret_cast<int (*)()>((*Program)->function(Index))();
  }

  ProgramCacheTest() {
    CacheOptions Options;
    Options.Directory = Folder + "/cache";
    Options.OnEvent = [](const CacheEvent &) {};
    Sources = std::move(*SourceCache::open(std::move(Options),
                                           CompileService(JIT_TEST_HELPER)));
  }
  uint64_t compiles() { return Sources->cache().statistics().Compiles; }

  std::unique_ptr<SourceCache> Sources;
};

/// Whether something is mapped there.
bool isMapped(const void *Address) {
  Dl_info Info;
  return ::dladdr(Address, &Info) != 0;
}

TEST_F(ProgramCacheTest, OneRequestIsOneProgram) {
  ProgramCache Programs(*Sources, 8);
  Result<ProgramRef> One = Programs.get(request(1));
  ASSERT_TRUE(One.ok()) << One.status().message();
  Result<ProgramRef> Two = Programs.get(request(2)),
                     Again = Programs.get(request(1));
  ASSERT_TRUE(Two.ok() && Again.ok());
  EXPECT_EQ(call(One), 1);
  EXPECT_EQ(call(Two), 2);
  EXPECT_EQ(One->get(), Again->get());
  EXPECT_NE(One->get(), Two->get());
  EXPECT_EQ(Programs.peek(request(2)).get(), Two->get());
  EXPECT_FALSE(Programs.peek(request(3)));
  EXPECT_EQ(Programs.size(), 2u);
  EXPECT_EQ((*One)->info().Functions[0].Type, "int ()");
}

// Most of a small link would be libraries that nothing is taken from.
TEST_F(ProgramCacheTest, LibrariesThatAreNotUsedAreNotLinked) {
  auto LinkedWith = [this](const std::string &Text) {
    CompileRequest R = request(1);
    R.Text = *makeUnit(Text, {}, {}, {{"value", "int ()"}}, UnitKind::Host);
    R.Entries = {"value"};
    R.LinkFlags.push_back("-Wl,--as-needed");
    Result<Product> Compiled = CompileService(JIT_TEST_HELPER).compile(R);
    EXPECT_TRUE(Compiled.ok()) << Compiled.status().message();
    ProgramCache Programs(*Sources, 8);
    EXPECT_EQ(call(Programs.get(R)), 42);
    return Compiled.ok() ? Compiled->Payload : "";
  };
  // Also what is done when it is loaded needs none.
  std::string Alone =
      LinkedWith("static int begin() { volatile int x = 41; return "
                 "x + 1; }\nint first = begin();\n"
                 "int value() { return first; }\n");
  EXPECT_EQ(Alone.find("_fini"), std::string::npos);
  EXPECT_EQ(Alone.find("libc.so"), std::string::npos);
  // What ends at the unload does: the C library calls it.
  std::string Ended = LinkedWith("struct S { int x = 42; ~S(); };\n"
                                 "int last;\nS::~S() { last = x; }\nS s;\n"
                                 "int value() { return s.x; }\n");
  EXPECT_NE(Ended.find("libc.so"), std::string::npos);
  std::string Used = LinkedWith("extern \"C\" int abs(int);\n"
                                "int (*volatile f)(int) = abs;\n"
                                "int value() { return f(-42); }\n");
  EXPECT_NE(Used.find("libc.so"), std::string::npos);
}

TEST_F(ProgramCacheTest, StopCallbackIsAskedOncePerInterval) {
  using Clock = std::chrono::steady_clock;
  ProgramCache Programs(*Sources, 8);
  CompileRequest Slow = request(1);
  Slow.Text = *makeUnit("constexpr unsigned sum() { unsigned s = 0;"
                        "  for (unsigned i = 0; i != 4000000000; ++i)"
                        "    s = s * 5 + 1;"
                        "  return s; }\n"
                        "int value() { constexpr unsigned s = sum();"
                        "  return s; }\n",
                        {}, {}, {{"value", "int ()"}}, UnitKind::Host);
  Slow.Entries = {"value"};
  Slow.Flags.push_back("-fconstexpr-steps=4000000000");
  std::atomic<bool> Compiles{false}, IsOver{false};
  CompileRequest Same = Slow;
  Slow.Stop = [&] {
    Compiles = true;
    return IsOver.load();
  };
  auto Owner =
      std::async(std::launch::async, [&] { return Programs.get(Slow); });
  while (!Compiles)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Clock::time_point Start = Clock::now();
  auto Waited = [&] { return Clock::now() - Start; };
  unsigned Questions = 0;
  Same.Stop = [&] {
    ++Questions;
    return Waited() > std::chrono::seconds(1);
  };
  Status Stopped = Programs.get(Same).status();
  EXPECT_EQ(Stopped.detail(), Errc::Cancelled) << Stopped.message();
  EXPECT_LE(Questions, Waited() / StopInterval + 2);
  EXPECT_GE(Questions, 2u);
  IsOver = true;
  EXPECT_EQ(Owner.get().status().detail(), Errc::Cancelled);
}

TEST_F(ProgramCacheTest, ConcurrentCallersGetTheSameProgram) {
  ProgramCache Programs(*Sources, 8);
  constexpr int Count = 8;
  ProgramRef Found[Count];
  std::vector<std::thread> Threads;
  for (ProgramRef &Slot : Found)
    Threads.emplace_back([&Programs, &Slot] {
      if (Result<ProgramRef> Program = Programs.get(request(1)))
        Slot = *Program;
    });
  for (std::thread &T : Threads)
    T.join();
  for (ProgramRef &Each : Found) {
    ASSERT_TRUE(Each);
    EXPECT_EQ(Each.get(), Found[0].get());
  }
  EXPECT_EQ(compiles(), 1u);
}

// Another thread has it in its hands: it compiles nothing.
TEST_F(ProgramCacheTest, ProgramLoadedByAnotherThreadIsShared) {
  ASSERT_TRUE(ProgramCache(*Sources, 8).get(request(1)).ok());
  ProgramCache Programs(*Sources, 8);
  std::promise<void> Loads, GoesOn;
  std::atomic<bool> IsFirst{true};
  Programs.setObserver([&](const CompileRequest &, const StoredEntry &) {
    if (IsFirst.exchange(false)) {
      Loads.set_value();
      GoesOn.get_future().wait();
    }
    return Status::success();
  });
  auto Get = [&](Freshness Mode) { return Programs.get(request(1), Mode); };
  auto First = std::async(std::launch::async, Get, Freshness::Any);
  Loads.get_future().wait();
  auto Second = std::async(std::launch::async, Get, Freshness::There);
  // Who takes it for a compile has said so by now.
  Second.wait_for(std::chrono::milliseconds(200));
  GoesOn.set_value();
  Result<ProgramRef> Found = Second.get();
  ASSERT_TRUE(Found.ok()) << Found.status().message();
  EXPECT_EQ(Found->get(), First.get()->get());
}

TEST_F(ProgramCacheTest, PeekingDoesNotDisturbACompile) {
  ProgramCache Programs(*Sources, 8);
  std::atomic<bool> IsCompiled{false};
  ProgramRef Found[3];
  std::vector<std::thread> Threads;
  for (ProgramRef &Slot : Found)
    Threads.emplace_back([&] {
      for (bool IsLast = false; !Slot && !IsLast;) {
        IsLast = IsCompiled;
        if (auto Program = Programs.get(request(1), Freshness::There))
          Slot = *Program;
      }
    });
  // It needs the same list of a compiler's files.
  Threads.emplace_back([&] {
    while (!IsCompiled)
      EXPECT_FALSE(Programs.get(request(2), Freshness::There).ok());
  });
  Result<ProgramRef> Loaded = Programs.get(request(1));
  IsCompiled = true;
  for (std::thread &T : Threads)
    T.join();
  ASSERT_TRUE(Loaded.ok()) << Loaded.status().message();
  for (ProgramRef &Each : Found)
    EXPECT_EQ(Each.get(), Loaded->get());
  EXPECT_EQ(Programs.peek(request(1)).get(), Loaded->get());
  EXPECT_EQ(Programs.size(), 1u);
  EXPECT_EQ(compiles(), 1u);
}

TEST_F(ProgramCacheTest, TheLastReferenceUnmapsTheCode) {
  auto Programs = std::make_unique<ProgramCache>(*Sources, 8);
  Result<ProgramRef> Program = Programs->get(request(1));
  ASSERT_TRUE(Program.ok());
  void *Code = (*Program)->function(0);
  Programs.reset();
  EXPECT_TRUE(isMapped(Code));
  EXPECT_EQ(call(Program), 1) << "it outlives the cache";
  ProgramRef Other = *Program;
  Program = ProgramRef();
  EXPECT_TRUE(isMapped(Code));
  Other = ProgramRef();
  EXPECT_FALSE(isMapped(Code));
}

TEST_F(ProgramCacheTest, TheLeastRecentlyUsedGoFirst) {
  ProgramCache Programs(*Sources, 2);
  void *First = (*Programs.get(request(1)))->function(0);
  void *Second = (*Programs.get(request(2)))->function(0);
  EXPECT_EQ(call(Programs.get(request(1))), 1);
  Result<ProgramRef> Third = Programs.get(request(3));
  EXPECT_EQ(Programs.size(), 2u);
  EXPECT_TRUE(isMapped(First));
  EXPECT_FALSE(isMapped(Second));
  EXPECT_FALSE(Programs.peek(request(2)));
  Programs.clear();
  EXPECT_EQ(Programs.size(), 0u);
  EXPECT_FALSE(isMapped(First));
  EXPECT_EQ(call(Third), 3) << "somebody holds it";
}

TEST_F(ProgramCacheTest, WithoutCapacityNothingIsKept) {
  ProgramCache Programs(*Sources, 0);
  Result<ProgramRef> Program = Programs.get(request(1));
  EXPECT_EQ(call(Program), 1);
  EXPECT_EQ(Programs.size(), 0u);
  Result<ProgramRef> Again = Programs.get(request(1));
  EXPECT_EQ(call(Again), 1);
  EXPECT_EQ(compiles(), 1u) << "the layers below have it";
}

// The new one is another program, with variables of its own, though its file
// has the name of the old one.
TEST_F(ProgramCacheTest, FreshProgramIsLoadedBesideTheOldOne) {
  ProgramCache Programs(*Sources, 8);
  Result<ProgramRef> Old = Programs.get(request(1));
  call(Old);
  call(Old);
  Result<ProgramRef> New = Programs.get(request(1), Freshness::New);
  ASSERT_TRUE(New.ok()) << New.status().message();
  EXPECT_EQ(compiles(), 2u);
  EXPECT_NE(New->get(), Old->get());
  EXPECT_EQ(call(New, 1), 0);
  EXPECT_EQ(call(Old, 1), 2);
  Result<ProgramRef> Found = Programs.get(request(1));
  EXPECT_EQ(Found->get(), New->get());
}

// Words stand for a request, not for a program.
TEST_F(ProgramCacheTest, RememberedDigestStandsForARequest) {
  ProgramCache Programs(*Sources, 2);
  Digest One = sha256("one"), Two = sha256("two");
  EXPECT_FALSE(Programs.known(One));
  Programs.remember(One, request(1));
  EXPECT_FALSE(Programs.known(One)) << "nobody has compiled it";
  Result<ProgramRef> First = Programs.get(request(1));
  EXPECT_EQ(Programs.known(One).get(), First->get());
  EXPECT_FALSE(Programs.known(Two));
  Result<ProgramRef> New = Programs.get(request(1), Freshness::New);
  EXPECT_EQ(Programs.known(One).get(), New->get());
  // Asking is a use.
  (void)Programs.get(request(2));
  EXPECT_TRUE(Programs.known(One));
  (void)Programs.get(request(3));
  EXPECT_TRUE(Programs.known(One));
  (void)Programs.get(request(2));
  (void)Programs.get(request(3));
  EXPECT_FALSE(Programs.known(One)) << "it had to go";
}

TEST_F(ProgramCacheTest, FailureIsNotAProgram) {
  ProgramCache Programs(*Sources, 8);
  CompileRequest Bad = request(1);
  Bad.Text->Text += "error\n";
  EXPECT_FALSE(Programs.get(Bad).ok());
  EXPECT_EQ(Programs.size(), 0u);
  EXPECT_FALSE(Programs.peek(Bad));
}

TEST_F(ProgramCacheTest, EveryPartOfARequestCounts) {
  CompileRequest Base = request(1);
  auto Differs = [&](auto Change) {
    CompileRequest Other = Base;
    Change(Other);
    return getDigest(Other) != getDigest(Base);
  };
  using R = CompileRequest;
  EXPECT_FALSE(Differs([](R &) {}));
  EXPECT_TRUE(Differs([](R &O) { O.Name += "x"; }));
  EXPECT_TRUE(Differs([](R &O) { O.Compiler += "x"; }));
  EXPECT_TRUE(Differs([](R &O) { O.Source += "x"; }));
  EXPECT_TRUE(Differs([](R &O) { O.Directory += "x"; }));
  EXPECT_TRUE(Differs([](R &O) { O.Target = "gfx90a"; }));
  EXPECT_TRUE(Differs([](R &O) { O.Lang = Language::Hip; }));
  EXPECT_TRUE(Differs([](R &O) { O.Output = CompileOutput::CodeObject; }));
  EXPECT_TRUE(Differs([](R &O) { O.Flags.push_back("x"); }));
  EXPECT_TRUE(Differs([](R &O) { O.LinkFlags.push_back("x"); }));
  EXPECT_TRUE(Differs([](R &O) { O.Symbols.push_back("x"); }));
  EXPECT_TRUE(Differs([](R &O) { O.Entries.push_back("x"); }));
  EXPECT_TRUE(Differs([](R &O) { O.Text->Before += "x"; }));
  EXPECT_TRUE(Differs([](R &O) { O.Text->Text += "x"; }));
  EXPECT_TRUE(Differs([](R &O) { O.Text->After += "x"; }));
  EXPECT_TRUE(Differs([](R &O) { O.Text->Headers.push_back({"a", "b"}); }));
  EXPECT_TRUE(Differs([](R &O) { O.Text.reset(); }));
}

// The child does not wait for what another thread of its parent was compiling.
TEST_F(ProgramCacheTest, AForkedChildCompilesWhatAnotherThreadWasCompiling) {
  ProgramCache Programs(*Sources, 8);
  Result<ProgramRef> Known = Programs.get(request(1));
  std::thread Other([&] { (void)Programs.get(request(2)); });
  while (Sources->cache().statistics().Misses < 2)
    std::this_thread::yield();
  pid_t Child = ::fork();
  if (Child == 0) {
    ::alarm(120);
    bool Good = call(Programs.get(request(1))) == 1 &&
                call(Programs.get(request(2))) == 2;
    ::_exit(Good ? 0 : 1);
  }
  int Outcome = -1;
  EXPECT_EQ(::waitpid(Child, &Outcome, 0), Child);
  EXPECT_EQ(Outcome, 0);
  Other.join();
}

// With variables of templates and of inline functions, too, which some linkers
// keep one of in a process, and the code that they are in for ever.
TEST_F(ProgramCacheTest, NoVariableKeepsTheCode) {
  CompileRequest Request = request(1);
  Request.Text->Text =
      "template <class T> int &calls_of() { static int calls; return calls; }\n"
      "inline int all = 0;\n"
      "template <class T> T any = 3;\n"
      "int value() { return ++calls_of<int>() + ++all + any<int>; }\n"
      "int count() { return all; }\n";
  ProgramCache Programs(*Sources, 8);
  Result<ProgramRef> Program = Programs.get(Request, Freshness::Own);
  EXPECT_EQ(call(Program), 5);
  EXPECT_EQ(call(Program), 7);
  void *Code = (*Program)->function(0);
  Program = ProgramRef();
  EXPECT_FALSE(isMapped(Code));
  // Another one begins with its own.
  Program = Programs.get(Request, Freshness::Own);
  EXPECT_EQ(call(Program), 5);
}

} // namespace
