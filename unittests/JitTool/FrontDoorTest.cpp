//===- FrontDoorTest.cpp - tests of cache commands in another program -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tests of `ck-jit cache` cannot see: that nothing of ck-jit is in what
// another front door prints.
//
//===----------------------------------------------------------------------===//
#include "JitTool/CacheTool.h"
#include "gtest/gtest.h"

using namespace kpack;
using namespace llvm;

namespace {
struct OtherDoor : jittool::FrontDoor {
  OtherDoor() {
    Program = "late";
    Library = "liblate";
    Variables = "LATE_";
    DefaultName = "late_kernels";
    Filler = "late fill";
  }
  Result<std::shared_ptr<jit::RemoteTier>>
  openRemote(const std::string &) const override {
    return std::shared_ptr<jit::RemoteTier>();
  }
  Status makeReadable(const std::string &, bool,
                      const std::string &) const override {
    return Status::success();
  }
  Result<std::string> compiler(const jittool::CompileWords &) const override {
    return std::string("/clang++");
  }
  Result<std::string>
  checkSources(const jittool::CompileWords &) const override {
    return std::string();
  }
  Result<jit::CompileRequest>
  request(const jittool::CompileWords &W) const override {
    return Status(StatusCode::FileNotFound, W.Source + " of " + W.Root);
  }
};
} // namespace

static std::string printed(const OtherDoor &Door,
                           std::vector<const char *> Words) {
  std::string Text;
  raw_string_ostream OS(Text);
  jittool::cacheMain(Door, Words, OS, OS);
  return Text;
}

TEST(FrontDoor, HelpUsesItsOwnNames) {
  OtherDoor Door;
  EXPECT_NE(printed(Door, {"--help"}).find("USAGE: late cache <verb>"),
            std::string::npos);
  for (const char *Verb : {"stats", "list", "explain", "verify", "prune", "pin",
                           "unpin", "export", "import", "push", "doctor"}) {
    std::string Help = printed(Door, {Verb, "--help"});
    EXPECT_NE(Help.find("USAGE: late cache " + std::string(Verb)),
              std::string::npos);
    for (const char *Ours : {"ck-jit", "ckjit", "CK_JIT", "ck_jit"})
      EXPECT_EQ(Help.find(Ours), std::string::npos) << Help;
  }
}

TEST(FrontDoor, MessagesUseItsOwnNames) {
  OtherDoor Door;
  EXPECT_EQ(printed(Door, {"lst"}),
            "late: error: lst: no such verb; did you mean 'list'?\n");
  EXPECT_EQ(printed(Door, {"list"}),
            "late: error: command line: no cache: neither LATE_CACHE_DIR nor a "
            "home is set; name it with --cache-dir=\n");
  Door.CacheDir = "/nowhere";
  EXPECT_EQ(printed(Door, {"list"}),
            "late: error: /nowhere: no such folder, LATE_CACHE_DIR names it; "
            "name a cache\n");
  Door.CacheHome = "/nowhere";
  EXPECT_EQ(printed(Door, {"list", "--name="}),
            "late: note: /nowhere/late_kernels: there is no cache yet\n");
}

TEST(FrontDoor, ExplainIsGivenACompile) {
  OtherDoor Door;
  Door.CacheHome = "/nowhere";
  EXPECT_EQ(printed(Door, {"explain", "--source=a.cpp", "--", "-O2"}),
            "late: note: /nowhere/late_kernels: there is no cache yet\n"
            "late: error: a.cpp of \n");
}
