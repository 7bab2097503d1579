//===- RemoteTest.cpp - tests of the client of remote caches --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The client, with scripts in the helper's place. The helper itself, with real
// servers: test/Jit/Remote. Both together: test/CkJit/Runtime/remote.test.
//
//===----------------------------------------------------------------------===//
#include "../../../lib/Jit/Service/RemoteSignature.h"
#include "../TestFolder.h"

#include "Jit/Service/Remote.h"
#include "Jit/Service/RemotePause.h"
#include "Jit/Service/RemoteProtocol.h"
#include "Jit/Service/RemoteTrust.h"

#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;
using Outcome = RemoteAnswer::Outcome;

namespace {

/// Far more than any of these tests waits for.
constexpr double Patience = 60;

bool contains(const std::string &Text, const std::string &Part) {
  return Text.find(Part) != std::string::npos;
}

class RemoteTest : public TestFolder {
protected:
  std::string write(const std::string &Name, const std::string &Bytes,
                    mode_t Mode = 0600) {
    const std::string Path = Folder + "/" + Name;
    std::ofstream(Path, std::ios::binary) << Bytes;
    ::chmod(Path.c_str(), Mode);
    return Path;
  }
  static std::string read(const std::string &Path) {
    std::ifstream In(Path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(In), {});
  }

  /// A helper that leaves its question and a line in "calls".
  RemoteOptions options(const std::string &Commands) {
    RemoteOptions Options;
    Options.Helper =
        write("helper",
              "#!/bin/sh\ncd '" + Folder +
                  "'\necho call >> calls\ncat > question\n" + Commands + "\n",
              0700);
    Options.Url = "http://user:hidden@localhost/cache";
    Options.Timeout = Patience;
    Options.Pause = 3600;
    Options.Mode = RemoteMode::Sync;
    Options.Directory = Folder + "/cache";
    return Options;
  }
  RemoteOptions answering(RemoteAnswer Answer) {
    write("reply", encodeAnswer(std::move(Answer)).encode());
    return options("cat reply");
  }
  RemoteOptions holding(std::string Value) {
    return answering({Outcome::Found, {}, std::move(Value)});
  }
  static std::shared_ptr<RemoteTier> tier(RemoteOptions Options) {
    auto Opened = RemoteTier::open(std::move(Options));
    EXPECT_TRUE(Opened.ok()) << Opened.status().message();
    return Opened.ok() ? std::move(*Opened) : nullptr;
  }
  static RemoteWanted wanted(const std::string &Source) {
    return {key(Source).Id, "shared-object", "gfx90a", "symbol"};
  }
  static std::string entry(const EntryInfo &Info) {
    return "the code" + *encodeEntryTail(Info, "the code");
  }
  size_t calls() {
    const std::string Lines = read(Folder + "/calls");
    return static_cast<size_t>(std::count(Lines.begin(), Lines.end(), '\n'));
  }
  /// What fetch() says of a value that it must not give.
  std::string refusal(std::string Value, const std::string &KeyFile = {}) {
    RemoteOptions Options = holding(std::move(Value));
    Options.KeyFile = KeyFile;
    auto Remote = tier(std::move(Options));
    std::string Problem;
    EXPECT_FALSE(Remote->fetch(wanted("a"), Problem));
    EXPECT_TRUE(contains(Problem, "it is not used")) << Problem;
    return Problem;
  }
};

TEST_F(RemoteTest, FetchesAnEntry) {
  auto Remote = tier(holding(entry(info("a"))));
  std::string Problem;
  auto Found = Remote->fetch(wanted("a"), Problem);
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Payload, "the code");
  EXPECT_EQ(Found->Info.Log, "a warning");
  EXPECT_EQ(Problem, "");
  EXPECT_EQ(Remote->name(), "http://localhost/cache");
  const auto Question = Message::decode(read(Folder + "/question"));
  ASSERT_TRUE(Question);
  EXPECT_EQ(Question->get("what"), "get");
  EXPECT_EQ(Question->get("key"), key("a").hex());
  EXPECT_EQ(Question->get("url"), "http://user:hidden@localhost/cache");
}

TEST_F(RemoteTest, ForeignEntryIsRefused) {
  EXPECT_TRUE(contains(refusal(""), "shorter than its footer"));
  EXPECT_TRUE(contains(refusal(entry(info("b"))), "has the key"));
  std::string Damaged = entry(info("a"));
  Damaged[3] ^= 1;
  EXPECT_TRUE(contains(refusal(Damaged), "checksum"));
  EXPECT_TRUE(contains(refusal(entry(info("a")).substr(1)), "it is not used"));
  for (std::string EntryInfo::*Field :
       {&EntryInfo::Kind, &EntryInfo::Target, &EntryInfo::Symbol}) {
    EntryInfo Other = info("a");
    Other.*Field = "\33[31mother\r";
    const std::string Why = refusal(entry(Other));
    EXPECT_TRUE(contains(Why, "made for something else"));
    EXPECT_TRUE(contains(Why, "?[31mother?")) << Why;
  }
}

TEST_F(RemoteTest, RefusedEntryIsNotFetchedAgain) {
  auto Remote = tier(holding("garbage"));
  std::string Problem;
  for (const char *Source : {"a", "a", "b"})
    EXPECT_FALSE(Remote->fetch(wanted(Source), Problem));
  EXPECT_EQ(calls(), 2u);
  EXPECT_FALSE(contains(Problem, "left alone"));
  // The third one of them is one too many.
  EXPECT_FALSE(Remote->fetch(wanted("c"), Problem));
  EXPECT_TRUE(contains(Problem, "left alone"));
  EXPECT_FALSE(Remote->fetch(wanted("d"), Problem));
  EXPECT_EQ(calls(), 3u);
}

TEST_F(RemoteTest, WantsSignatures) {
  const std::string Secret = "a secret of enough length";
  const std::string File = write("key", Secret + "\n");
  const std::string Entry = entry(info("a"));
  RemoteOptions Options = holding(Entry + getSignature(Entry, Secret));
  std::string Problem;
  EXPECT_TRUE(tier(Options)->fetch(wanted("a"), Problem)); // not looked at
  Options.KeyFile = File;
  EXPECT_TRUE(tier(Options)->fetch(wanted("a"), Problem));
  EXPECT_EQ(Problem, "");
  EXPECT_TRUE(contains(refusal(Entry, File), "is not signed"));
  EXPECT_TRUE(contains(
      refusal(Entry + getSignature(Entry, "another of enough length"), File),
      "another key"));
  std::string Altered = Entry + getSignature(Entry, Secret);
  Altered[0] ^= 1;
  EXPECT_TRUE(contains(refusal(Altered, File), "another key"));
}

TEST_F(RemoteTest, SecretsAreSecret) {
  auto code = [](const std::string &Path) {
    return readSecret(Path, 16).status().code();
  };
  EXPECT_EQ(code(write("good", "0123456789abcdef\n")), StatusCode::Success);
  EXPECT_EQ(*readSecret(Folder + "/good", 16), "0123456789abcdef");
  EXPECT_EQ(code(write("open", "0123456789abcdef", 0640)),
            StatusCode::InvalidArgument);
  EXPECT_EQ(code(write("short", "0123456789abcde\n")),
            StatusCode::InvalidArgument);
  EXPECT_EQ(code(write("long", std::string(5000, 'x'))),
            StatusCode::InvalidArgument);
  EXPECT_EQ(code(Folder + "/none"), StatusCode::FileNotFound);
  EXPECT_EQ(code(Folder), StatusCode::InvalidArgument);
  ASSERT_EQ(::mkfifo((Folder + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(code(Folder + "/fifo"), StatusCode::InvalidArgument);
}

TEST_F(RemoteTest, OneFailurePausesAllProcesses) {
  ASSERT_TRUE(open());
  RemoteOptions Options = answering({Outcome::Failed, "is on\nfire", {}});
  auto Remote = tier(Options);
  std::string Problem;
  EXPECT_FALSE(Remote->fetch(wanted("a"), Problem));
  EXPECT_EQ(Problem,
            "http://localhost/cache: is on fire; it is left alone for 3600 s");
  Problem.clear();
  EXPECT_FALSE(Remote->fetch(wanted("b"), Problem));
  EXPECT_FALSE(tier(Options)->fetch(wanted("a"), Problem)); // another process
  Remote->store(info("a"), "the code", Problem);
  EXPECT_EQ(Problem, "");
  EXPECT_EQ(calls(), 1u);
  // Asked in spite of that.
  EXPECT_EQ(Remote->check().message(), "http://localhost/cache: is on fire");
  EXPECT_EQ(calls(), 2u);
  // Another server is not meant.
  Options.Url = "http://127.0.0.1/";
  EXPECT_FALSE(tier(Options)->fetch(wanted("a"), Problem));
  EXPECT_EQ(calls(), 3u);
}

TEST_F(RemoteTest, NothingIsWrittenWhereOthersMay) {
  RemoteOptions Options = answering({Outcome::Failed, "no", {}});
  ASSERT_EQ(::mkdir(Options.Directory.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(Options.Directory.c_str(), 0777), 0);
  std::string Problem;
  EXPECT_FALSE(tier(Options)->fetch(wanted("1"), Problem));
  EXPECT_NE(::access((Options.Directory + "/remote").c_str(), F_OK), 0);
  ASSERT_EQ(::chmod(Options.Directory.c_str(), 0700), 0);
  EXPECT_FALSE(tier(Options)->fetch(wanted("1"), Problem));
  EXPECT_EQ(::access((Options.Directory + "/remote").c_str(), F_OK), 0);
}

TEST_F(RemoteTest, PausesEnd) {
  const std::string File = Folder + "/pause";
  RemotePause One(File, 3600), Other(File, 3600);
  EXPECT_FALSE(One.reason());
  One.begin("why");
  EXPECT_EQ(One.reason(), "why");
  EXPECT_EQ(Other.reason(), "why");
  One.end();
  EXPECT_FALSE(One.reason());
  EXPECT_FALSE(Other.reason());
  // Nonsense, and what a clock of another time has written.
  const std::string Now = std::to_string(::time(nullptr));
  for (const std::string &Text :
       {std::string(), std::string("text"), std::string("9999999999 why"),
        Now.substr(0, 4) + " why", Now + "0"}) {
    write("pause", Text);
    EXPECT_FALSE(Other.reason()) << Text;
  }
  ::unlink(File.c_str());
  ASSERT_EQ(::mkfifo(File.c_str(), 0600), 0);
  EXPECT_FALSE(Other.reason());
  EXPECT_FALSE(RemotePause("", 3600).reason());
  RemotePause Short("", 0);
  Short.begin("why");
  EXPECT_FALSE(Short.reason());
}

/// Whether nobody has \p Path locked, or soon nobody has: one that was killed
/// may need a processor to end, and so may a command that it was running.
bool becomesFree(const std::string &Path) {
  UniqueFd Lock(::open(Path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  for (int Try = 0; Try != int(Patience * 100); ++Try) {
    if (::flock(Lock.get(), LOCK_EX | LOCK_NB) == 0)
      return true;
    ::usleep(10000);
  }
  return false;
}

TEST_F(RemoteTest, EndsAHelperInTime) {
  // One that says nothing, and one that begins and does not go on. While it
  // lives, it has a lock.
  for (const char *Begin : {"", "printf .; "}) {
    RemoteOptions Options =
        options("exec 9> lock; flock 9; " + std::string(Begin) +
                "trap '' TERM; exec sleep 10000");
    Options.Timeout = 0.3;
    auto Remote = tier(Options);
    std::string Problem;
    EXPECT_FALSE(Remote->fetch(wanted("a"), Problem));
    EXPECT_TRUE(contains(Problem, "no answer within 0.3 s") ||
                contains(Problem, "no whole answer within 1.5 s"))
        << Problem;
    EXPECT_TRUE(contains(Problem, "it is left alone")) << Problem;
    EXPECT_TRUE(becomesFree(Folder + "/lock"));
  }
}

TEST_F(RemoteTest, InvalidHelperRepliesAreRefused) {
  std::string Problem;
  for (const char *Commands :
       {"exit 3", "kill -9 $$", "echo no message", "head -c 100000 /dev/zero",
        "printf .", "cat question"}) {
    auto Remote = tier(options(Commands));
    EXPECT_FALSE(Remote->fetch(wanted("a"), Problem)) << Commands;
    EXPECT_TRUE(contains(Problem, "it is left alone")) << Commands;
    EXPECT_FALSE(Remote->check().ok()) << Commands;
  }
  RemoteOptions Options = holding(std::string(200000, 'x'));
  Options.MaxBytes = 1000;
  auto Remote = tier(Options);
  EXPECT_FALSE(Remote->fetch(wanted("a"), Problem));
  EXPECT_TRUE(contains(Problem, "more than was asked for")) << Problem;
}

TEST_F(RemoteTest, SignalsOfTheProgramDoNotMatter) {
  const auto Before = ::signal(SIGCHLD, SIG_IGN);
  auto Remote = tier(holding(entry(info("a"))));
  std::string Problem;
  EXPECT_TRUE(Remote->fetch(wanted("a"), Problem));
  RemoteOptions Options = options("exec sleep 10000");
  Options.Timeout = 0.1;
  Options.Directory.clear();
  EXPECT_FALSE(tier(Options)->fetch(wanted("a"), Problem));
  ::signal(SIGCHLD, Before);
}

TEST_F(RemoteTest, StoresOnlyShareableEntries) {
  RemoteOptions Options = answering({Outcome::Stored, {}, {}});
  const std::string Secret = "a secret of enough length";
  Options.KeyFile = write("key", Secret);
  Options.AuthFile = write("auth", "user:password\n");
  std::string Problem;
  tier(Options)->store(info("a"), "the code", Problem);
  EXPECT_EQ(Problem, "");
  auto Question = Message::decode(read(Folder + "/question"));
  ASSERT_TRUE(Question);
  EXPECT_EQ(Question->get("what"), "put");
  EXPECT_EQ(Question->get("credentials"), "user:password");
  const std::string Entry = entry(info("a"));
  EXPECT_EQ(Question->get("value"), Entry + getSignature(Entry, Secret));
  EXPECT_EQ(calls(), 1u);
  // Lists of this machine's files; what is too large; where writing is off.
  for (const char *Kind : {"recipe", "pch"}) {
    EntryInfo Info = info("a");
    Info.Kind = Kind;
    tier(Options)->store(Info, "the code", Problem);
    EXPECT_FALSE(RemoteTier::takes(Kind));
  }
  RemoteOptions Other = Options;
  Other.MaxBytes = 100;
  tier(Other)->store(info("a"), "the code", Problem);
  Other = Options;
  Other.Mode = RemoteMode::Read;
  tier(Other)->store(info("a"), "the code", Problem);
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(Problem, "");
}

TEST_F(RemoteTest, InvalidAddressesAreRefused) {
  auto why = [&](const std::string &Url) {
    RemoteOptions Options = options("");
    Options.Url = Url;
    auto Opened = RemoteTier::open(Options);
    EXPECT_FALSE(Opened.ok()) << Url;
    EXPECT_FALSE(contains(Opened.status().message(), "hidden")) << Url;
    return Opened.status().code();
  };
  for (const char *Url :
       {"", "host", "/path", "ftp://hidden@host/", "rediss://:hi/hidden@host",
        "http://host/?key=", "http://host/#x", "http://ho st/",
        "redis://host\n", "file:///etc/passwd"})
    EXPECT_EQ(why(Url), StatusCode::InvalidArgument);
  RemoteOptions Options = options("");
  Options.Helper = Folder + "/none";
  EXPECT_EQ(RemoteTier::open(Options).status().code(),
            StatusCode::FileNotFound);
  for (double Timeout : {0.0, -1.0, 1e9, 0.0 / 0.0}) {
    Options = options("");
    Options.Timeout = Timeout;
    EXPECT_FALSE(RemoteTier::open(Options).ok());
  }
}

TEST_F(RemoteTest, PlainTextNeedsAKeyOrThisMachine) {
  auto opens = [&](const char *Url, bool HasKey = false,
                   bool Insecure = false) {
    RemoteOptions Options = answering({Outcome::Missing, {}, {}});
    Options.Url = Url;
    Options.Insecure = Insecure;
    if (HasKey)
      Options.KeyFile = write("key", "a secret that is long enough");
    auto Opened = RemoteTier::open(Options);
    if (!Opened.ok()) {
      EXPECT_TRUE(contains(Opened.status().message(),
                           "without a key, what a server of another machine "
                           "sends in plain text could be anybody's code"));
      return false;
    }
    EXPECT_EQ((*Opened)->isInsecure(), Insecure) << Url;
    EXPECT_TRUE((*Opened)->has(key("a").Id).ok());
    // The helper sees to it that no other machine is asked.
    const auto Question = Message::decode(read(Folder + "/question"));
    EXPECT_EQ(Question->get("only-loopback") == "1",
              !HasKey && !Insecure && isPlainText(Url))
        << Url;
    return true;
  };
  for (const char *Url :
       {"http://localhost/c", "http://127.0.0.1:80/c", "http://127.8.9.1/c",
        "http://[::1]:80/c", "redis://u:p@localhost:1/0", "redis://[::1]",
        "https://host/c", "https://127.0.0.1/c", "unix:/run/socket",
        "redis+unix:/run/socket", "http+unix:/run/socket:/c"})
    EXPECT_TRUE(opens(Url)) << Url;
  for (const char *Url :
       {"http://host/c", "http://10.0.0.5/c", "http://127.0.0.1.host/c",
        "http://localhost.host/c", "http://localhost@host/c",
        "http://127.0.0.1:80@host/c", "http://host\\@localhost/c",
        "redis://host/@localhost", "redis://host#@localhost", "redis:localhost",
        "redis://10.0.0.5/0", "http://[fe80::1]/c", "http://0.0.0.0/c",
        "http://128.0.0.1/c", "http:///localhost"}) {
    EXPECT_FALSE(opens(Url)) << Url;
    EXPECT_TRUE(opens(Url, /*HasKey=*/true)) << Url;
    EXPECT_TRUE(opens(Url, /*HasKey=*/false, /*Insecure=*/true)) << Url;
  }
}

} // namespace
