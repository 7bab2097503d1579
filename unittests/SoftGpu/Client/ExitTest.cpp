//===- ExitTest.cpp - tests of process exits with open queues -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a kernel that would not end by itself, an idle queue of copies, and a
// thread that waits for an event: the right exit status, no crash and no wait.
// Under AddressSanitizer a leak is a failure, too.
//
//===----------------------------------------------------------------------===//
#include "Client.h"

#include <signal.h>
#include <thread>

using namespace kpack::softgpu;
using namespace kpack::softgpu::test;

namespace {

/// Never destroyed: a program that ends does not tidy up.
struct Busy {
  Busy() {
    Kernels.hold(Flags.as<uint32_t>(), Flags.as<uint32_t>(64));
    awaitValue(Flags.as<uint32_t>(), 1);
    std::thread([this] {
      kfd_event_data Data{};
      Data.event_id = C.createEvent();
      C.waitFor(Data, ~uint32_t(0));
    }).detach();
  }

  static Busy &make() {
    static Busy &Only = *new Busy;
    return Only;
  }

  Client C;
  Area Flags = C.allocate();
  KernelQueue Kernels{C};
  CopyQueue Copies{C};
  KernelQueue *Another = nullptr;
};

/// How a process ends that does \p Body while it is busy.
int getEnd(const std::function<int(Busy &)> &Body) {
  Child Busily([&] { return Body(Busy::make()); });
  return Busily.wait();
}

TEST(ClientExit, ExitInMainKeepsTheStatus) {
  EXPECT_EQ(getEnd([](Busy &) -> int { std::exit(21); }), 21);
}

TEST(ClientExit, QuickExitKeepsTheStatus) {
  EXPECT_EQ(getEnd([](Busy &) -> int { ::_exit(22); }), 22);
  EXPECT_EQ(getEnd([](Busy &) -> int { std::quick_exit(23); }), 23);
}

TEST(ClientExit, SignalEndsTheProgram) {
  EXPECT_EQ(getEnd([](Busy &) -> int { std::abort(); }), 128 + SIGABRT);
  EXPECT_EQ(getEnd([](Busy &) { return ::raise(SIGTERM); }), 128 + SIGTERM);
}

TEST(ClientExit, ExitInAThreadKeepsTheStatus) {
  EXPECT_EQ(getEnd([](Busy &) -> int {
              std::thread([] { std::exit(24); }).detach();
              for (;;)
                ::pause();
            }),
            24);
}

/// Static destructors run before the driver ends its queues, and use it.
TEST(ClientExit, StaticDestructorUsesTheDriver) {
  struct Last {
    ~Last() {
      Busy &B = Busy::make();
      KernelQueue Another(B.C);
      Another.store(B.Flags.as<uint32_t>(128), 5);
      bool Right = Another.wait() && *B.Flags.as<uint32_t>(128) == 5;
      B.Kernels.hold(B.Flags.as<uint32_t>(), B.Flags.as<uint32_t>(64));
      ::_exit(Right ? 25 : 26);
    }
  };
  EXPECT_EQ(getEnd([](Busy &) -> int {
              static Last AtExit;
              std::exit(1);
            }),
            25);
}

/// The same, and the exit goes on.
TEST(ClientExit, StaticDestructorKeepsTheStatus) {
  struct Last {
    ~Last() {
      Busy &B = Busy::make();
      B.Another = new KernelQueue(B.C);
    }
  };
  EXPECT_EQ(getEnd([](Busy &) -> int {
              static Last AtExit;
              std::exit(27);
            }),
            27);
}

/// Requests that come when the queues have ended: of handlers that run last,
/// and of threads that nobody has stopped.
TEST(ClientExit, ExitWithRunningThreadsKeepsTheStatus) {
  EXPECT_EQ(getEnd([](Busy &B) -> int {
              for (int I = 0; I < 2; ++I)
                std::thread([&B] {
                  for (;;) {
                    Area A = B.C.allocate();
                    KernelQueue Q(B.C);
                    Q.store(A.as<uint32_t>(), 1);
                    Q.wait();
                    B.C.free(A);
                  }
                }).detach();
              ::usleep(20000);
              std::exit(28);
            }),
            28);
}

} // namespace
