//===- LinkedFilesTest.cpp - tests of linked files in cache keys ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../../lib/Jit/Helper/LinkedFiles.h"
#include "../TestFolder.h"

#include "Jit/Executor/Cache/SourceCache.h"
#include "Jit/Executor/Load.h"

#include <algorithm>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class LinkedFilesTest : public TestFolder {
protected:
  LinkedFilesTest() {
    Folder = std::filesystem::canonical(Folder);
    for (const char *Name : {"/lib", "/lib/parts", "/first"})
      std::filesystem::create_directories(Folder + Name);
    write(Folder + "/blob.cpp", "extern \"C\" int part();\n"
                                "int wanted() { return part(); }\n");
    makeArchive("/lib/libpart.a", 42);
    CacheOptions Options;
    Options.Directory = Folder + "/cache";
    Options.OnEvent = [](const CacheEvent &) {};
    C = std::move(*Cache::open(std::move(Options)));
  }

  static void run(const std::string &Command) {
    ASSERT_EQ(std::system(Command.c_str()), 0) << Command;
  }
  /// An object whose part() returns \p Value.
  void makeObject(const std::string &Name, int Value,
                  const std::string &Flags = "-c") {
    write(Folder + "/part.c",
          "int part(void) { return " + std::to_string(Value) + "; }\n");
    run(JIT_TEST_COMPILER " -x c -fPIC " + Flags + " -o " + Folder + Name +
        " " + Folder + "/part.c");
  }
  void makeArchive(const std::string &Name, int Value,
                   const std::string &Kind = "rcs") {
    makeObject("/lib/parts/a_part_with_a_long_name.o", Value);
    std::filesystem::remove(Folder + Name);
    run(JIT_TEST_ARCHIVER " " + Kind + " " + Folder + Name + " " + Folder +
        "/lib/parts/a_part_with_a_long_name.o");
  }

  CompileRequest request(std::vector<std::string> LinkFlags) {
    CompileRequest Request;
    Request.Name = "blob";
    Request.Compiler = JIT_TEST_COMPILER;
    Request.Source = Folder + "/blob.cpp";
    Request.Symbols = {"_Z6wantedv"};
    Request.LinkFlags = std::move(LinkFlags);
    return Request;
  }
  /// What the kernel returns.
  int call(const CompileRequest &Request) {
    auto Entry = Sources().get(Request);
    if (!Entry.ok()) {
      ADD_FAILURE() << Entry.status().message();
      return -1;
    }
    auto Code = LoadedCode::load(std::move(*Entry));
    EXPECT_TRUE(Code.ok()) << Code.status().message();
    return reinterpret_cast<int (*)()>(*Code->symbol("_Z6wantedv"))();
  }
  /// The names of the linked files in the key that are not the system's.
  std::vector<std::string> linked(const CompileRequest &Request) {
    std::vector<std::string> Names;
    auto Key = Sources().key(Request);
    EXPECT_TRUE(Key.ok()) << Key.status().message();
    for (const KeyField &Field : Key->Fields)
      if (Field.Name.compare(0, 5, "link ") == 0 &&
          Field.Name.find("part") != std::string::npos)
        Names.push_back(Field.Name.substr(5));
    return Names;
  }
  SourceCache Sources(const char *Helper = JIT_TEST_HELPER) {
    return SourceCache(*C, CompileService(Helper));
  }

  std::unique_ptr<Cache> C;
};

using Names = std::vector<std::string>;

// When the archive is edited, the kernel is another one.
TEST_F(LinkedFilesTest, EditedArchiveIsAnotherKey) {
  const CompileRequest Request = request({"-L" + Folder + "/lib", "-lpart"});
  const KeyRecord Before = *Sources().key(Request);
  EXPECT_EQ(call(Request), 42);
  makeArchive("/lib/libpart.a", 43);
  const auto Differences = explain(Before, *Sources().key(Request));
  ASSERT_EQ(Differences.size(), 1u);
  EXPECT_EQ(Differences[0].Name, "link libpart.a");
  EXPECT_EQ(call(Request), 43);
  // A hit runs nothing.
  EXPECT_TRUE(Sources("/no/such/helper").get(Request).ok());
}

// However it is named.
TEST_F(LinkedFilesTest, ArchivesAreFoundAsLinkersFindThem) {
  const std::string L = "-L" + Folder + "/lib";
  const std::vector<Names> Ways = {
      {"-Llib", "-fuse-ld=lld", "-lpart"}, // from the compiler's directory
      {"-L", Folder + "/first", L, "-l", "part"},
      {L, "-l:libpart.a"},
      {"lib/libpart.a", "-fuse-ld=lld"},
      {"-Wl," + Folder + "/lib/libpart.a"},
      {"-nostdlib", "-fuse-ld=lld", L, "-lpart"},
      {"-nostdlib", "-fuse-ld=bfd", L, "-lpart"},
  };
  for (const Names &Way : Ways)
    EXPECT_EQ(linked(request(Way)), Names{"libpart.a"}) << Way.back();
  // Linkers differ in how they write such a path.
  const std::string Odd = Folder + "/a b$c#d";
  std::filesystem::create_directories(Odd);
  std::filesystem::copy(Folder + "/lib/libpart.a", Odd + "/libpart.a");
  for (const char *Linker : {"-fuse-ld=lld", "-fuse-ld=bfd"})
    EXPECT_EQ(linked(request({Linker, "-L" + Odd, "-lpart"})),
              Names{"libpart.a"});
}

TEST_F(LinkedFilesTest, EditedObjectIsAnotherKey) {
  makeObject("/part.o", 7);
  const CompileRequest Request = request({Folder + "/part.o"});
  EXPECT_EQ(call(Request), 7);
  EXPECT_EQ(linked(Request), Names{"part.o"});
  makeObject("/part.o", 8);
  EXPECT_EQ(call(Request), 8);
}

// Whoever has an older GNU ld is told what to do.
TEST_F(LinkedFilesTest, LinkersWithoutRules) {
  write(Folder + "/ld", "#!/bin/sh\n"
                        "echo \"ld: unrecognized option "
                        "'--dependency-file=x'\" >&2\nexit 1\n");
  ASSERT_EQ(::chmod((Folder + "/ld").c_str(), 0700), 0);
  const auto Key = Sources().key(request({"--ld-path=" + Folder + "/ld"}));
  ASSERT_FALSE(Key.ok());
  EXPECT_NE(Key.status().message().find("link with lld (-fuse-ld=lld)"),
            std::string::npos)
      << Key.status().message();
}

// A shared object is found when the kernel is loaded, whatever it is then.
TEST_F(LinkedFilesTest, SharedObjectsStayOut) {
  makeObject("/first/libpart.so", 7, "-shared");
  const Names Both = {"-L" + Folder + "/first", "-L" + Folder + "/lib"};
  auto with = [&](Names More) {
    More.insert(More.begin(), Both.begin(), Both.end());
    return request(More);
  };
  EXPECT_EQ(linked(with({"-lpart"})), Names{});
  EXPECT_EQ(linked(with({Folder + "/first/libpart.so"})), Names{});
  EXPECT_EQ(linked(with({"-Wl,-Bstatic", "-lpart", "-Wl,-Bdynamic"})),
            Names{"libpart.a"});
  EXPECT_EQ(linked(with({"-l:libpart.a"})), Names{"libpart.a"});
  const KeyRecord Before = *Sources().key(with({"-lpart"}));
  makeObject("/first/libpart.so", 8, "-shared");
  EXPECT_EQ(Sources().key(with({"-lpart"}))->Id, Before.Id);
}

// A library may be a script that names others.
TEST_F(LinkedFilesTest, LinkerScriptsAreFollowed) {
  write(Folder + "/first/libpart.so", "INPUT(" + Folder + "/lib/libpart.a)\n");
  const CompileRequest Request = request({"-L" + Folder + "/first", "-lpart"});
  EXPECT_EQ(call(Request), 42);
  EXPECT_EQ(linked(Request), (Names{"libpart.so", "libpart.a"}));
  makeArchive("/lib/libpart.a", 43);
  EXPECT_EQ(call(Request), 43);
}

// The archive does not change when its member does.
TEST_F(LinkedFilesTest, MembersOfThinArchivesAreInTheKey) {
  makeArchive("/lib/libpart.a", 42, "rcsT");
  for (const char *Linker : {"-fuse-ld=lld", "-fuse-ld=bfd"}) {
    makeObject("/lib/parts/a_part_with_a_long_name.o", 42);
    const CompileRequest Request =
        request({Linker, "-L" + Folder + "/lib", "-lpart"});
    EXPECT_EQ(call(Request), 42);
    EXPECT_EQ(linked(Request),
              (Names{"libpart.a", "a_part_with_a_long_name.o"}));
    makeObject("/lib/parts/a_part_with_a_long_name.o", 43);
    EXPECT_EQ(call(Request), 43);
  }
}

// A tree that was moved has the same keys.
TEST_F(LinkedFilesTest, PlacesAreNotInTheKey) {
  std::filesystem::copy(Folder + "/lib/libpart.a", Folder + "/first/libpart.a");
  EXPECT_EQ(Sources().key(request({Folder + "/lib/libpart.a"}))->Id,
            Sources().key(request({Folder + "/first/libpart.a"}))->Id);
}

TEST_F(LinkedFilesTest, MissingLibraryHasTheLinkersMessage) {
  auto Entry = Sources().get(request({"-lno_such_part"}));
  ASSERT_FALSE(Entry.ok());
  EXPECT_EQ(Entry.status().code(), StatusCode::InvalidArgument);
  EXPECT_NE(Entry.status().message().find("no_such_part"), std::string::npos)
      << Entry.status().message();
}

// One that a linker does not know how to answer gets no key that might be
// wrong.
TEST_F(LinkedFilesTest, LinkersMustAnswer) {
  for (const char *Rule : {"", "out.so:", "out.so: \\\n\n"}) {
    auto Files = linkedFiles(request({}), Rule);
    ASSERT_FALSE(Files.ok());
    EXPECT_EQ(Files.status().code(), StatusCode::InvalidArgument);
    EXPECT_NE(Files.status().message().find("-fuse-ld=lld"), std::string::npos);
  }
}

TEST_F(LinkedFilesTest, ThinArchivesAreCheckedForDamage) {
  std::filesystem::create_directories(Folder + "/thin");
  for (const char *Name : {"a.o", "b_with_a_very_long_name.o"})
    makeObject(std::string("/thin/") + Name, 1);
  run("cd " + Folder +
      "/thin && " JIT_TEST_ARCHIVER " rcsT t.a a.o b_with_a_very_long_name.o");
  const std::string Bytes = read(Folder + "/thin/t.a");
  auto Members = thinMembers(Bytes);
  ASSERT_TRUE(Members.ok());
  EXPECT_EQ(*Members, (Names{"a.o", "b_with_a_very_long_name.o"}));
  // Cut off or changed anywhere: an error, or other names.
  for (size_t Size = 8; Size < Bytes.size(); ++Size)
    if (auto Some = thinMembers(Bytes.substr(0, Size)); Some.ok())
      EXPECT_LT(Some->size(), 2u);
  for (size_t Offset = 8; Offset < Bytes.size(); ++Offset)
    for (char Other : {'/', '9', ' ', '\0', '\xff'}) {
      std::string Changed = Bytes;
      Changed[Offset] = Other;
      (void)thinMembers(Changed).ok();
    }
  EXPECT_TRUE(thinMembers("!<arch>\n")->empty());
}

} // namespace
