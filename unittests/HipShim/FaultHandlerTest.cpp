//===- FaultHandlerTest.cpp - tests of the SIGSEGV handler ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/HipShim/FaultHandler.h"

#include "gtest/gtest.h"

#include <csetjmp>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace kpack::hipshim;

namespace {

/// Parts of two pages; each byte is the number of its part, from 1 on. The
/// fourth and later parts do not exist.
class Numbers final : public PageSource {
public:
  explicit Numbers(std::atomic<unsigned> *Fills = nullptr) : Fills(Fills) {}

  Part partAt(uint64_t Offset, uint64_t) override {
    const uint64_t Size = 2 * LazyMemory::pageSize();
    return Offset < 3 * Size ? Part{Offset / Size * Size, Size} : Part{};
  }
  void fill(const Part &P, char *Target) override {
    if (Fills)
      ++*Fills;
    std::memset(Target, 1 + int(P.Offset / P.Size), P.Size);
  }
  void noMemory(const Part &) noexcept override { ADD_FAILURE(); }

private:
  std::atomic<unsigned> *const Fills;
};

/// Numbers, while memory is short now and then.
class ShortOfMemory final : public PageSource {
public:
  struct State {
    int LayOuts = 0;  // that fail from now on
    uint64_t Bad = 0; // the part that does
    int Fills = 0;    // of it that fail from now on
    std::vector<uint64_t> Said;
  };
  explicit ShortOfMemory(State &S) : S(S) {}

  Part partAt(uint64_t Offset, uint64_t RangeSize) override {
    if (S.LayOuts && S.LayOuts--)
      throw std::bad_alloc();
    return All.partAt(Offset, RangeSize);
  }
  void fill(const Part &P, char *Target) override {
    if (P.Offset == S.Bad && S.Fills && S.Fills--) {
      std::memset(Target, 99, P.Size / 2);
      throw std::bad_alloc();
    }
    All.fill(P, Target);
  }
  void noMemory(const Part &P) noexcept override { S.Said.push_back(P.Offset); }
  uint64_t usedSize(uint64_t) const override {
    return 6 * LazyMemory::pageSize();
  }

private:
  State &S;
  Numbers All;
};

/// One for all tests of the process, as in the library; never destroyed.
LazyMemory &memory() {
  static auto *The = new LazyMemory();
  installFaultHandler(*The, {::sigaction, ::pthread_sigmask});
  return *The;
}

constexpr uint64_t RangeSize = uint64_t(1) << 30;

char readByte(const char *Address) {
  return *static_cast<const volatile char *>(Address);
}

struct Reserved {
  explicit Reserved(std::atomic<unsigned> *Fills = nullptr)
      : R(memory().reserve(RangeSize, std::make_unique<Numbers>(Fills))),
        Begin(memory().begin(R)) {}
  ~Reserved() { memory().release(R); }
  LazyMemory::Range *const R;
  const char *const Begin;
};

bool isMapped(const char *Address) {
  auto *Page = const_cast<char *>(Address);
  return msync(Page, LazyMemory::pageSize(), MS_ASYNC) == 0;
}

TEST(LazyMemory, FillsOnlyThePartThatIsTouched) {
  std::atomic<unsigned> Fills{0};
  Reserved M(&Fills);
  const uint64_t Before = memory().pagesFilled();
  EXPECT_EQ(Fills, 0u);
  EXPECT_EQ(readByte(M.Begin + 3 * LazyMemory::pageSize()), 2);
  EXPECT_EQ(readByte(M.Begin + 2 * LazyMemory::pageSize()), 2);
  EXPECT_EQ(Fills, 1u);
  EXPECT_EQ(memory().pagesFilled() - Before, 2u);
  EXPECT_EQ(readByte(M.Begin), 1);
  EXPECT_EQ(Fills, 2u);
}

TEST(LazyMemory, ReleasedRangeIsNoLongerContained) {
  const char *Begin = nullptr;
  {
    Reserved M;
    Begin = M.Begin;
    EXPECT_EQ(readByte(Begin), 1);
    EXPECT_TRUE(memory().contains(Begin + RangeSize - 1));
    EXPECT_FALSE(memory().contains(Begin + RangeSize));
  }
  EXPECT_FALSE(memory().contains(Begin));
  EXPECT_FALSE(isMapped(Begin));
  Reserved Again; // may be the same place: nothing is left of the first
  EXPECT_EQ(readByte(Again.Begin + 4 * LazyMemory::pageSize()), 3);
}

TEST(LazyMemory, IsFoundByItsOwnerOnce) {
  Reserved M;
  int Owner = 0;
  memory().setOwner(M.R, &Owner);
  EXPECT_EQ(memory().takeOwned(&Owner), M.R);
  EXPECT_EQ(memory().takeOwned(&Owner), nullptr);
}

TEST(LazyMemory, ThreadsSeeWholePartsOnly) {
  for (int Round = 0; Round != 50; ++Round) {
    std::atomic<unsigned> Fills{0}, Wrong{0};
    Reserved M(&Fills);
    std::vector<std::thread> Threads;
    for (unsigned T = 0; T != 6; ++T)
      Threads.emplace_back([&, T] {
        const uint64_t Part = 2 * LazyMemory::pageSize();
        for (uint64_t I = 0; I != 3; ++I) {
          uint64_t Index = (I + T) % 3;
          for (uint64_t Offset : {uint64_t(0), Part / 2, Part - 1})
            Wrong +=
                readByte(M.Begin + Index * Part + Offset) != char(Index + 1);
        }
      });
    for (std::thread &T : Threads)
      T.join();
    EXPECT_EQ(Wrong, 0u);
    EXPECT_EQ(Fills, 3u);
  }
}

TEST(LazyMemory, ThreadsMayReserveReadAndRelease) {
  std::vector<std::thread> Threads;
  std::atomic<unsigned> Wrong{0};
  for (unsigned T = 0; T != 6; ++T)
    Threads.emplace_back([&] {
      for (int Round = 0; Round != 100; ++Round) {
        Reserved M;
        Wrong += readByte(M.Begin + 5 * LazyMemory::pageSize()) != 3;
        Wrong += readByte(M.Begin) != 1;
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Wrong, 0u);
}

TEST(LazyMemory, AChildFillsItsOwn) {
  Reserved M;
  EXPECT_EQ(readByte(M.Begin), 1);
  pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (Child == 0)
    _exit(readByte(M.Begin) == 1 &&
                  readByte(M.Begin + 2 * LazyMemory::pageSize()) == 2
              ? 0
              : 1);
  int Result = -1;
  ASSERT_EQ(waitpid(Child, &Result, 0), Child);
  EXPECT_EQ(Result, 0);
  EXPECT_EQ(readByte(M.Begin + 4 * LazyMemory::pageSize()), 3);
}

TEST(LazyMemory, SmallAlternateStackSuffices) {
  std::thread([] {
    std::vector<char> Small(MINSIGSTKSZ + 16384);
    stack_t Stack = {};
    Stack.ss_sp = Small.data();
    Stack.ss_size = Small.size();
    ASSERT_EQ(sigaltstack(&Stack, nullptr), 0);
    Reserved M;
    EXPECT_EQ(readByte(M.Begin), 1);
    Stack.ss_flags = SS_DISABLE;
    sigaltstack(&Stack, nullptr);
  }).join();
}

TEST(LazyMemory, UsesAvailableAddressSpace) {
  LazyMemory::Range *R =
      memory().reserve(uint64_t(1) << 50, std::make_unique<Numbers>());
  ASSERT_NE(R, nullptr);
  EXPECT_EQ(readByte(memory().begin(R)), 1);
  memory().release(R);
}

/// The first byte of each part, after fillAll().
std::vector<int> bytesOfPlain(ShortOfMemory::State &S, bool &IsWhole) {
  LazyMemory::Range *R =
      memory().reserve(RangeSize, std::make_unique<ShortOfMemory>(S));
  memory().fillAll(R);
  IsWhole = memory().isWhole(R);
  std::vector<int> Bytes;
  for (uint64_t Page : {0, 2, 4})
    Bytes.push_back(
        readByte(memory().begin(R) + Page * LazyMemory::pageSize()));
  EXPECT_EQ(memory().isWhole(R), !S.Fills);
  memory().release(R);
  return Bytes;
}

using Bytes = std::vector<int>;
using Offsets = std::vector<uint64_t>;

TEST(LazyMemory, FailedFillIsRetriedOnTouch) {
  const uint64_t Second = 2 * LazyMemory::pageSize();
  bool IsWhole = true;
  ShortOfMemory::State AtFirst{0, Second, 1, {}};
  EXPECT_EQ(bytesOfPlain(AtFirst, IsWhole), (Bytes{1, 2, 3}));
  EXPECT_FALSE(IsWhole);
  EXPECT_EQ(AtFirst.Said, Offsets{Second});
  // A half-written part does not stay when it fails again.
  ShortOfMemory::State Always{0, Second, 1000, {}};
  EXPECT_EQ(bytesOfPlain(Always, IsWhole), (Bytes{1, 0, 3}));
  EXPECT_EQ(Always.Said, (Offsets{Second, Second}));
}

TEST(LazyMemory, FailedLayoutIsRetriedOnTouch) {
  bool IsWhole = true;
  ShortOfMemory::State S{1, 0, 0, {}};
  LazyMemory::Range *R =
      memory().reserve(RangeSize, std::make_unique<ShortOfMemory>(S));
  memory().fillAll(R);
  EXPECT_EQ(S.Said, Offsets{0});
  EXPECT_EQ(readByte(memory().begin(R)), 1);
  memory().release(R);
  S = {0, 0, 0, {}};
  EXPECT_EQ(bytesOfPlain(S, IsWhole), (Bytes{1, 2, 3}));
  EXPECT_TRUE(IsWhole);
  EXPECT_TRUE(S.Said.empty());
}

/// A range of ShortOfMemory.
struct ShortRange {
  explicit ShortRange(ShortOfMemory::State &S)
      : R(memory().reserve(RangeSize, std::make_unique<ShortOfMemory>(S))),
        Begin(memory().begin(R)) {}
  ~ShortRange() { memory().release(R); }
  /// The byte at the start of page \p I.
  int page(uint64_t I) const {
    return readByte(Begin + I * LazyMemory::pageSize());
  }
  LazyMemory::Range *const R;
  const char *const Begin;
};

TEST(LazyMemory, FailedTouchIsFinal) {
  ShortOfMemory::State S{0, 0, 1, {}};
  ShortRange M(S);
  EXPECT_EQ(M.page(0), 0);
  EXPECT_EQ(S.Said, Offsets{0});
  // There is memory again, but the program has read zeros already.
  EXPECT_EQ(M.page(1), 0);
  memory().touchAll(M.Begin, 6 * LazyMemory::pageSize());
  EXPECT_EQ(M.page(0), 0);
  EXPECT_EQ(M.page(2), 2);
  EXPECT_EQ(M.page(4), 3);
  EXPECT_FALSE(memory().isWhole(M.R));
  EXPECT_EQ(S.Said, Offsets{0});
}

TEST(LazyMemory, FailedLayoutOnTouchIsFinal) {
  const uint64_t Page = LazyMemory::pageSize();
  ShortOfMemory::State S{1, 0, 0, {}};
  ShortRange M(S);
  EXPECT_EQ(M.page(1), 0);
  EXPECT_EQ(S.Said, Offsets{Page});
  // Another page of the part, and other parts.
  EXPECT_EQ(M.page(0), 0);
  memory().touchAll(M.Begin, 6 * Page);
  for (uint64_t I = 0; I != 6; ++I)
    EXPECT_EQ(M.page(I), 0) << I;
  EXPECT_FALSE(memory().isWhole(M.R));
  EXPECT_EQ(S.Said, Offsets{Page});
}

TEST(LazyMemory, RangeWithoutLayoutIsNotWhole) {
  ShortOfMemory::State S{1, 0, 0, {}};
  ShortRange M(S);
  EXPECT_FALSE(memory().isWhole(M.R));
  EXPECT_EQ(M.page(0), 1) << "nothing was read before";
}

TEST(LazyMemory, PartsStayIfALaterLayoutFails) {
  ShortOfMemory::State S{0, 0, 0, {}};
  ShortRange M(S);
  EXPECT_EQ(M.page(2), 2);
  S.LayOuts = 1;
  EXPECT_EQ(M.page(0), 0);
  memory().touchAll(M.Begin, 6 * LazyMemory::pageSize());
  EXPECT_EQ(M.page(1), 0);
  EXPECT_EQ(M.page(2), 2);
  EXPECT_EQ(M.page(3), 2);
  EXPECT_EQ(M.page(4), 0);
  EXPECT_FALSE(memory().isWhole(M.R));
}

//===----------------------------------------------------------------------===//
// Others who want SIGSEGV
//===----------------------------------------------------------------------===//

const char *const NoMemory = reinterpret_cast<const char *>(uintptr_t(64));

void exitWith7(int) { _exit(7); }
void exitWith8(int, siginfo_t *Info, void *) {
  _exit(Info->si_addr == NoMemory ? 8 : 1);
}

/// Must run before memory() is first called in this process.
void setHandler(void (*Handler)(int)) {
  struct sigaction A = {};
  A.sa_handler = Handler;
  sigaction(SIGSEGV, &A, nullptr);
}

TEST(FaultHandlerDeathTest, AnotherCrashTakesTheDefaultAction) {
  EXPECT_EXIT(
      {
        setHandler(SIG_DFL);
        Reserved M;
        readByte(M.Begin);
        readByte(NoMemory);
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(FaultHandlerDeathTest, ABytePastThePartsIsACrash) {
  EXPECT_EXIT(
      {
        setHandler(SIG_DFL);
        Reserved M;
        readByte(M.Begin + 6 * LazyMemory::pageSize());
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(FaultHandlerDeathTest, ASentSignalTakesTheDefaultAction) {
  EXPECT_EXIT(
      {
        setHandler(SIG_DFL);
        memory();
        kill(getpid(), SIGSEGV);
        for (;;)
          pause();
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(FaultHandlerDeathTest, AnEarlierHandlerIsCalled) {
  EXPECT_EXIT(
      {
        setHandler(exitWith7);
        Reserved M;
        if (readByte(M.Begin) == 1)
          readByte(NoMemory);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST(FaultHandlerDeathTest, ALaterHandlerIsCalledAfterOurs) {
  EXPECT_EXIT(
      {
        setHandler(exitWith7);
        Reserved M;
        struct sigaction New = {};
        struct sigaction Old = {};
        New.sa_sigaction = exitWith8;
        New.sa_flags = SA_SIGINFO;
        exchangeNextAction(&New, &Old);
        if (Old.sa_handler != exitWith7)
          _exit(2);
        if (readByte(M.Begin) == 1)
          readByte(NoMemory);
      },
      ::testing::ExitedWithCode(8), "");
}

// Without our sigaction() in front of libc's, a handler that passes on what it
// does not know, and ours, would call each other for ever.
struct sigaction Displaced;
unsigned Calls = 0;
void passBack(int Signal, siginfo_t *Info, void *Context) {
  if (++Calls > 3)
    _exit(3);
  Displaced.sa_sigaction(Signal, Info, Context);
}

TEST(FaultHandlerDeathTest, HandlerThatCallsBackDoesNotLoop) {
  EXPECT_EXIT(
      {
        setHandler(exitWith7);
        memory();
        struct sigaction New = {};
        New.sa_sigaction = passBack;
        New.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &New, &Displaced);
        memory();
        Reserved M;
        if (readByte(M.Begin) == 1 && Calls == 0)
          readByte(NoMemory);
      },
      ::testing::ExitedWithCode(7), "");
}

sigjmp_buf Back;
void jumpBack(int) { siglongjmp(Back, 1); }

TEST(FaultHandlerDeathTest, AHandlerMayJumpOut) {
  EXPECT_EXIT(
      {
        setHandler(jumpBack);
        Reserved M;
        static int Jumps = 0;
        sigsetjmp(Back, 1);
        if (++Jumps < 4)
          readByte(NoMemory);
        _exit(readByte(M.Begin) == 1 ? 5 : 1);
      },
      ::testing::ExitedWithCode(5), "");
}

} // namespace
