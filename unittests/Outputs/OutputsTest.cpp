//===- OutputsTest.cpp - tests of pending files and archives --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Outputs/PendingArchives.h"
#include "Outputs/SearchPath.h"
#include "ToolSupport/Output.h"
#include "kpack/Archive/ArchiveReader.h"

#include "llvm/ObjectYAML/yaml2obj.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace llvm;

namespace {

class OutputsTest : public testing::Test {
protected:
  void SetUp() override {
    SmallString<128> Unique;
    ASSERT_FALSE(sys::fs::createUniqueDirectory("kpack-outputs", Unique));
    ASSERT_FALSE(sys::fs::real_path(Unique, Root));
  }
  void TearDown() override { sys::fs::remove_directories(Root); }
  std::string path(const char *Name) { return (Root + "/" + Name).str(); }
  unsigned fileCount() {
    unsigned Count = 0;
    std::error_code EC;
    for (sys::fs::directory_iterator It(Root, EC), End; It != End;
         It.increment(EC))
      ++Count;
    return Count;
  }
  ArchiveSet setAt(const char *Path) {
    ArchiveSet Set{path(Path), "x", {}};
    Set.Writer.GroupName = "x";
    return Set;
  }
  SmallString<128> Root;
};

TEST_F(OutputsTest, PendingFileAppearsByCommit) {
  PendingFile File(path("x"));
  cantFail(File.write("text"));
  EXPECT_FALSE(sys::fs::exists(path("x")));
  Replacements Old;
  cantFail(File.commit(Old));
  EXPECT_TRUE(sys::fs::exists(path("x")));
  EXPECT_FALSE(sys::fs::exists(File.temporaryPath()));
}

TEST_F(OutputsTest, PendingFileVanishesWithoutCommit) {
  {
    PendingFile File(path("x"));
    cantFail(File.write("text"));
    EXPECT_EQ(fileCount(), 1u);
  }
  EXPECT_EQ(fileCount(), 0u);
}

TEST_F(OutputsTest, NameOfADirectoryIsRefused) {
  PendingFile File(path("x"));
  cantFail(File.write("text"));
  ASSERT_FALSE(sys::fs::create_directory(path("x")));
  Replacements Old;
  EXPECT_EQ(toString(File.commit(Old)),
            path("x") + ": cannot rename to this name: Is a directory; check "
                        "the directory, its permissions and free space");
}

TEST_F(OutputsTest, ArchivesAreRemovedUnlessKept) {
  ArchiveSet Set = setAt("made/deep/x_@GFXARCH@.kpack");
  std::vector<CodeObject> Objects = {{0, "gfx1100", "one"},
                                     {1, "gfx1101", "two"}};
  {
    PendingArchives Archives(Set);
    Replacements Old;
    for (const CodeObject &Object : Objects)
      cantFail(Archives.add(Object));
    cantFail(Archives.finish("id"));
    cantFail(Archives.commit(Old));
    EXPECT_TRUE(sys::fs::exists(path("made/deep/x_gfx1100.kpack")));
  }
  EXPECT_EQ(fileCount(), 0u);
  {
    PendingArchives Archives(Set);
    Replacements Old;
    for (const CodeObject &Object : Objects)
      cantFail(Archives.add(Object));
    cantFail(Archives.finish("id"));
    cantFail(Archives.commit(Old));
    Old.forget();
  }
  EXPECT_TRUE(sys::fs::exists(path("made/deep/x_gfx1100.kpack")));
  EXPECT_TRUE(sys::fs::exists(path("made/deep/x_gfx1101.kpack")));
}

/// One code object of the build \p Id.
static void writeArchive(const ArchiveSet &Set, const char *Target,
                         StringRef Id) {
  PendingArchives Archives(Set);
  Replacements Old;
  cantFail(Archives.add({0, Target, "one"}));
  cantFail(Archives.finish(Id));
  cantFail(Archives.commit(Old));
  Old.forget();
}

/// What is outdated goes with the commit, and is back when that fails after it.
TEST_F(OutputsTest, OutdatedFilesGo) {
  ArchiveSet Set = setAt("x_@GFXARCH@.kpack");
  writeArchive(Set, "gfx90a", "old");
  for (bool IsDone : {false, true}) {
    {
      PendingArchives Archives(Set);
      Replacements Old;
      cantFail(Archives.add({0, "gfx1100", "one"}));
      cantFail(Archives.finish("id"));
      Archives.replaceToo({path("x_gfx90a.kpack")}, "old");
      cantFail(Archives.commit(Old));
      EXPECT_FALSE(sys::fs::exists(path("x_gfx90a.kpack")));
      if (IsDone)
        Old.forget();
    }
    EXPECT_EQ(sys::fs::exists(path("x_gfx90a.kpack")), !IsDone);
    EXPECT_EQ(sys::fs::exists(path("x_gfx1100.kpack")), IsDone);
    EXPECT_EQ(fileCount(), 1u);
  }
}

/// Another command has changed it since it was looked at.
TEST_F(OutputsTest, ChangedOutdatedFilesStay) {
  ArchiveSet Set = setAt("x_@GFXARCH@.kpack");
  for (bool IsThere : {true, false}) {
    PendingArchives Archives(Set);
    Replacements Old;
    cantFail(Archives.add({0, "gfx1100", "one"}));
    cantFail(Archives.finish("id"));
    Archives.replaceToo({path("x_gfx90a.kpack")}, "old");
    if (IsThere)
      writeArchive(Set, "gfx90a", "newer");
    Error Failure = Archives.commit(Old);
    EXPECT_EQ(!Failure, !IsThere);
    consumeError(std::move(Failure));
    EXPECT_EQ(sys::fs::exists(path("x_gfx90a.kpack")), IsThere);
    sys::fs::remove(path("x_gfx90a.kpack"));
  }
}

TEST_F(OutputsTest, TargetsDoNotLeaveTheDirectory) {
  ArchiveSet Set = setAt("x_@GFXARCH@.kpack");
  for (const char *Target : {"/../y", "gfx1100/../y", "amdgcn"}) {
    PendingArchives Archives(Set);
    EXPECT_EQ(toString(Archives.add({0, Target, "one"})),
              std::string("device code for '") + Target +
                  "': not the target id of a GPU, no loader asks for it; "
                  "compile with --offload-arch=gfx...");
  }
  EXPECT_EQ(fileCount(), 0u);
}

/// With 5000 bytes of debug information.
std::string codeObjectWithDebug() {
  constexpr char Yaml[] = R"(--- !ELF
FileHeader:
  Class: ELFCLASS64
  Data: ELFDATA2LSB
  OSABI: ELFOSABI_AMDGPU_HSA
  ABIVersion: 4
  Type: ET_DYN
  Machine: EM_AMDGPU
  Flags: [ EF_AMDGPU_MACH_AMDGCN_GFX1100 ]
ProgramHeaders:
  - { Type: PT_LOAD, Flags: [ PF_R ], VAddr: 0x1000, Align: 0x1000,
      Offset: 0x1000, FirstSec: .text, LastSec: .text }
Sections:
  - { Name: .text, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC ], Address: 0x1000,
      Offset: 0x1000, Content: "0000B0BF" }
  - { Name: .debug_info, Type: SHT_PROGBITS, Size: 5000 }
)";
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  yaml::Input In(Yaml);
  EXPECT_TRUE(yaml::convertYAML(
      In, OS, [](const Twine &Message) { ADD_FAILURE() << Message.str(); }));
  return Bytes;
}

/// Wrappers share an image; two copies of it are one, too.
TEST_F(OutputsTest, EqualCodeObjectsAreStrippedOnce) {
  std::string Full = codeObjectWithDebug(), Copy = Full;
  for (offload::DeviceDebug How :
       {offload::DeviceDebug::Strip, offload::DeviceDebug::Split}) {
    ArchiveSet Set = setAt("x_@GFXARCH@.kpack");
    Set.Debug = How;
    PendingArchives Archives(Set);
    for (uint32_t I = 0; I != 4; ++I)
      cantFail(Archives.add({I, "gfx1100", I % 2 ? Full : Copy}));
    cantFail(Archives.add({0, "gfx1101", Full}));
    EXPECT_EQ(Archives.strippedCount(), 2u); // each target has its archive
    cantFail(Archives.finish("id"));
    cantFail(commitAll(Archives, {}));
    for (const std::string &Path : Archives.paths()) {
      auto Reader = ArchiveReader::open(Path);
      ASSERT_TRUE(Reader.ok()) << Reader.status().message();
      size_t Count = StringRef(Path).contains("gfx1100") ? 4 : 1;
      ASSERT_EQ((*Reader)->entries().size(), Count) << Path;
      for (const ArchiveEntry &Entry : (*Reader)->entries())
        EXPECT_EQ(Entry.Ordinal, 0u) << Path;
    }
  }
}

TEST(ArchiveId, CoversIndexTargetAndBytes) {
  auto Id = [](uint32_t Index, const char *Target, const char *Bytes) {
    return computeArchiveId({CodeObject{Index, Target, Bytes}});
  };
  std::string Reference = Id(0, "gfx1100", "code");
  EXPECT_EQ(Reference.size(), ArchiveIdSize);
  EXPECT_EQ(Reference.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(Reference, Id(0, "gfx1100", "code"));
  EXPECT_NE(Reference, Id(1, "gfx1100", "code"));
  EXPECT_NE(Reference, Id(0, "gfx1101", "code"));
  EXPECT_NE(Reference, Id(0, "gfx1100", "Code"));
}

TEST_F(OutputsTest, SearchPathIsRelativeToTheOutput) {
  auto Relative = [this](const char *Archive, const char *Output) {
    return cantFail(relativeSearchPath(path(Archive), path(Output)));
  };
  EXPECT_EQ(Relative("x.kpack", "x"), "x.kpack");
  EXPECT_EQ(Relative(".kpack/x_@GFXARCH@.kpack", "x"),
            ".kpack/x_@GFXARCH@.kpack");
  EXPECT_EQ(Relative("share/x.kpack", "bin/x"), "../share/x.kpack");
  EXPECT_EQ(Relative("./a/../share//x.kpack", "bin/./x"), "../share/x.kpack");
  ASSERT_FALSE(sys::fs::create_directory(path("real")));
  ASSERT_FALSE(sys::fs::create_link(path("real"), path("link")));
  EXPECT_EQ(Relative("real/x.kpack", "link/x"), "x.kpack");
  EXPECT_EQ(Relative("link/new/x.kpack", "real/x"), "new/x.kpack");
  EXPECT_EQ(Relative("d@GFXARCH@/.kpack/x_@GFXARCH@.kpack", "d@GFXARCH@/x"),
            ".kpack/x_@GFXARCH@.kpack");
  for (const char *Output : {"x", "d@GFXARCH@/x"}) {
    // In the text there would be two placeholders, or none.
    const char *Archive = Output[0] == 'x' ? "d@GFXARCH@/x_@GFXARCH@.kpack"
                                           : "d@GFXARCH@/x.kpack";
    EXPECT_FALSE(errorToBool(
        relativeSearchPath("d/x_@GFXARCH@.kpack", Output).takeError()));
    EXPECT_TRUE(errorToBool(relativeSearchPath(Archive, Output).takeError()));
  }
}

TEST_F(OutputsTest, PlaceholderInAFolderIsLiteral) {
  std::string Folder = path("d@GFXARCH@");
  ASSERT_FALSE(sys::fs::create_directory(Folder));
  PathTemplate Place = outputTemplate(Folder + "/x_@GFXARCH@.kpack");
  EXPECT_EQ(Place.pathFor("gfx90a"), Folder + "/x_gfx90a.kpack");
  EXPECT_EQ(outputTemplate("k/@GFXARCH@/x.kpack").pathFor("gfx90a"),
            "k/gfx90a/x.kpack");
  ASSERT_FALSE(writeInPlace(Place.pathFor("gfx90a"), ""));
  std::error_code EC;
  std::vector<FoundArchive> Found = findForEveryTarget(Place, EC);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Arch, "gfx90a");
  EXPECT_EQ(Found[0].Path, Folder + "/x_gfx90a.kpack");
}

} // namespace
