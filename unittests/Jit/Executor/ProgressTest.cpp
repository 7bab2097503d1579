//===- ProgressTest.cpp - tests of the display of compiles ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "Jit/Executor/Cache/Progress.h"

#include <cstdlib>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;
using Kind = CacheEvent::Kind;

namespace {

/// A terminal of 40 columns, and what is written to it.
class Terminal {
public:
  Terminal() : Master(::posix_openpt(O_RDWR | O_NOCTTY)) {
    char Name[64] = "";
    if (!Master || ::grantpt(Master.get()) != 0 ||
        ::unlockpt(Master.get()) != 0 ||
        ::ptsname_r(Master.get(), Name, sizeof(Name)) != 0)
      return;
    Slave = UniqueFd(::open(Name, O_RDWR | O_NOCTTY));
    if (!Slave)
      return;
    winsize Size{};
    Size.ws_col = 40;
    ::ioctl(Slave.get(), TIOCSWINSZ, &Size);
    termios Raw;
    ::tcgetattr(Slave.get(), &Raw);
    ::cfmakeraw(&Raw);
    ::tcsetattr(Slave.get(), TCSANOW, &Raw);
  }
  /// A chroot may be without /dev/pts.
  bool isThere() const { return bool(Slave); }
  /// The kernel passes bytes on when it likes: they end with one of ours.
  std::string written() {
    constexpr char End = 1;
    EXPECT_EQ(::write(Slave.get(), &End, 1), 1);
    std::string All;
    char Byte;
    while (::read(Master.get(), &Byte, 1) == 1 && Byte != End)
      All += Byte;
    return All;
  }

  UniqueFd Master, Slave;
};

CacheEvent event(Kind EventKind, double Seconds = 0) {
  CacheEvent Event{EventKind, "kernel", Seconds, {}, "why", 3, 17};
  Event.Owner.Pid = 42;
  Event.Owner.Host = "host";
  return Event;
}

class ProgressTest : public TestFolder {
protected:
  ProgressTest() : Before(std::getenv("TERM") ? std::getenv("TERM") : "") {}
  ~ProgressTest() override { ::setenv("TERM", Before.c_str(), 1); }

  std::string plain(const std::vector<CacheEvent> &Events) {
    const std::string Path = Folder + "/out";
    UniqueFd File(::open(Path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600));
    Progress P({"kpack-jit", false, true, File.get()});
    for (const CacheEvent &Event : Events)
      P.show(Event);
    return read(Path);
  }

  const std::string Before;
};

TEST_F(ProgressTest, PlainLinesAreFew) {
  EXPECT_EQ(
      plain({event(Kind::Compiling), event(Kind::StillCompiling, 1),
             event(Kind::StillCompiling, 9.2),
             event(Kind::StillCompiling, 10.1), event(Kind::Compiled, 11.4)}),
      "kpack-jit: compiling 3/17 kernel\n"
      "kpack-jit: still compiling 3/17 kernel, 10 s\n"
      "kpack-jit: compiled kernel in 11.4 s\n");
  EXPECT_EQ(plain({event(Kind::Compiling), event(Kind::Compiled, 0.5)}),
            "kpack-jit: compiling 3/17 kernel\n");
  EXPECT_EQ(plain({event(Kind::Waiting), event(Kind::Waiting, 1),
                   event(Kind::WaitEnded, 2)}),
            "kpack-jit: kernel: waiting for process 42 on host, 0 s\n");
  EXPECT_EQ(plain({event(Kind::Failed), event(Kind::NotKept)}),
            "kpack-jit: error: why\nkpack-jit: warning: why\n");
}

TEST_F(ProgressTest, TerminalOutputIsOneLine) {
  ::setenv("TERM", "xterm", 1);
  Terminal T;
  if (!T.isThere())
    GTEST_SKIP() << "no pseudo-terminals here";
  Progress P({"kpack-jit", false, true, T.Slave.get()});
  P.show(event(Kind::Compiling));
  EXPECT_EQ(T.written(), "\r\033[Kkpack-jit: compiling 3/17 kernel");
  P.show(event(Kind::StillCompiling, 12));
  EXPECT_EQ(T.written(), "\r\033[Kkpack-jit: compiling 3/17 kernel, 12 s");
  P.show(event(Kind::Compiled, 12.3));
  EXPECT_EQ(T.written(), "\r\033[Kkpack-jit: compiled kernel in 12.3 s\n");
  P.show(event(Kind::Compiling));
  P.show(event(Kind::Compiled, 0.1));
  EXPECT_EQ(T.written(), "\r\033[Kkpack-jit: compiling 3/17 kernel\r\033[K");
  // No longer than the terminal is wide.
  CacheEvent Long = event(Kind::Compiling);
  Long.Name = std::string(100, 'x');
  P.show(Long);
  EXPECT_EQ(T.written(), "\r\033[Kkpack-jit: compiling 3/17 xxxxxxxxxxxxx");
  P.show(event(Kind::Failed));
  EXPECT_EQ(T.written(), "\r\033[Kkpack-jit: error: why\n");
}

// A stopped terminal, a pipe that nobody reads: the program goes on, and its
// children too.
TEST_F(ProgressTest, FullPipeDoesNotBlock) {
  int Ends[2];
  ASSERT_EQ(::pipe2(Ends, O_CLOEXEC), 0);
  UniqueFd Reader(Ends[0]), Writer(Ends[1]);
  ASSERT_EQ(::fcntl(Writer.get(), F_SETFL, O_NONBLOCK), 0);
  const std::string Page(4096, 'x');
  size_t Filled = 0;
  for (ssize_t Done;
       (Done = ::write(Writer.get(), Page.data(), Page.size())) > 0;)
    Filled += size_t(Done);
  ASSERT_EQ(::fcntl(Writer.get(), F_SETFL, 0), 0);

  Progress P({"kpack-jit", false, true, Writer.get()});
  P.show(event(Kind::Compiling));
  CacheEvent Long = event(Kind::NotKept);
  Long.Detail = std::string(10000, 'y');
  P.show(Long);
  const pid_t Child = ::fork();
  if (Child == 0)
    ::_exit(0);
  int Ended = 0;
  ASSERT_EQ(::waitpid(Child, &Ended, 0), Child);

  // What was held back comes with the next event, in its order.
  std::string All(Filled, '\0');
  for (size_t Count = 0; Count != Filled;)
    Count += size_t(::read(Reader.get(), &All[Count], Filled - Count));
  P.show(event(Kind::Failed));
  Writer = UniqueFd();
  All.clear();
  for (ssize_t Got; (Got = ::read(Reader.get(), &Long.Name[0], 1)) > 0;)
    All += Long.Name[0];
  EXPECT_EQ(All, "kpack-jit: compiling 3/17 kernel\nkpack-jit: warning: " +
                     Long.Detail + "\nkpack-jit: error: why\n");
}

// A reader that has gone ends nobody.
TEST_F(ProgressTest, ClosedPipeRaisesNoSignal) {
  int Ends[2];
  ASSERT_EQ(::pipe2(Ends, O_CLOEXEC), 0);
  UniqueFd Writer(Ends[1]);
  ::close(Ends[0]);
  Progress P({"kpack-jit", false, true, Writer.get()});
  P.show(event(Kind::Failed));
}

TEST_F(ProgressTest, DumbTerminalHasPlainLines) {
  ::setenv("TERM", "dumb", 1);
  Terminal T;
  if (!T.isThere())
    GTEST_SKIP() << "no pseudo-terminals here";
  Progress P({"kpack-jit", false, true, T.Slave.get()});
  P.show(event(Kind::Compiling));
  EXPECT_EQ(T.written(), "kpack-jit: compiling 3/17 kernel\n");
}

} // namespace
