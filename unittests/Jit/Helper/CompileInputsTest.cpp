//===- CompileInputsTest.cpp - tests of a compile's dependencies ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../../lib/Jit/Helper/CompileInputs.h"
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

/// A variable while this lives.
class Variable {
public:
  Variable(const char *Name, const std::string &Value) : Name(Name) {
    if (const char *Before = ::getenv(Name))
      Old = Before;
    ::setenv(Name, Value.c_str(), 1);
  }
  ~Variable() { Old ? ::setenv(Name, Old->c_str(), 1) : ::unsetenv(Name); }

private:
  const char *Name;
  std::optional<std::string> Old;
};

class CompileInputsTest : public TestFolder {
protected:
  CompileInputsTest() {
    Folder = std::filesystem::canonical(Folder);
    for (const char *Name : {"/first", "/second", "/other"})
      std::filesystem::create_directories(Folder + Name);
    write(Folder + "/second/value.h", "#define VALUE 42\n");
    source("#include \"value.h\"\nint wanted() { return VALUE; }\n");
    CacheOptions Options;
    Options.Directory = Folder + "/cache";
    Options.OnEvent = [](const CacheEvent &) {};
    C = std::move(*Cache::open(std::move(Options)));
  }

  void source(const std::string &Text) { write(Folder + "/blob.cpp", Text); }
  CompileRequest request(std::vector<std::string> Flags = {}) {
    CompileRequest Request;
    Request.Name = "blob";
    Request.Compiler = JIT_TEST_COMPILER;
    Request.Source = Folder + "/blob.cpp";
    Request.Flags = {"-O1", "-I" + Folder + "/first",
                     "-I" + Folder + "/second"};
    Request.Flags.insert(Request.Flags.end(), Flags.begin(), Flags.end());
    Request.Symbols = {"_Z6wantedv"};
    Request.Pch = PchPolicy::Off;
    return Request;
  }
  std::string script(const std::string &Name, const std::string &Text) {
    write(Folder + "/" + Name, "#!/bin/sh\n" + Text);
    ::chmod((Folder + "/" + Name).c_str(), 0700);
    return Folder + "/" + Name;
  }
  KeyRecord key(const CompileRequest &Request,
                const std::string &Machine = {}) {
    auto Key = SourceCache(*C, Service, Machine).key(Request);
    EXPECT_TRUE(Key.ok()) << Key.status().message();
    return Key.ok() ? *Key : KeyRecord();
  }
  /// The names of the fields in which the keys differ.
  static std::vector<std::string> difference(const KeyRecord &A,
                                             const KeyRecord &B) {
    std::vector<std::string> Names;
    for (const KeyDifference &D : explain(A, B))
      Names.push_back(D.Name);
    return Names;
  }
  using List = std::vector<std::string>;

  CompileService Service{JIT_TEST_HELPER};
  std::unique_ptr<Cache> C;
};

// "native" is what the compiler takes it for, on each machine.
TEST_F(CompileInputsTest, NativeProcessorIsInTheKey) {
  const std::string Compiler = script(
      "clang", "for A; do shift; case $A in -m*=native) A=${A%native}$(cat '" +
                   Folder +
                   "/machine');; esac; set -- \"$@\" \"$A\"; done\n"
                   "exec " JIT_TEST_COMPILER " \"$@\"\n");
  for (const char *Flag : {"-march=native", "-mtune=native"}) {
    CompileRequest Request = request({Flag});
    Request.Compiler = Compiler;
    write(Folder + "/machine", "znver2");
    const KeyRecord Old = key(Request, "machine A");
    write(Folder + "/machine", "haswell");
    const KeyRecord New = key(Request, "machine B");
    EXPECT_EQ(difference(Old, New), List{"processor"}) << Flag;
    // Both lists are kept: nothing is asked on the first machine any more.
    SourceCache Alone(*C, CompileService("/no/such/helper"), "machine A");
    auto Again = Alone.key(Request);
    ASSERT_TRUE(Again.ok()) << Again.status().message();
    EXPECT_EQ(Again->Id, Old.Id);
    // Of one kind: one key.
    EXPECT_EQ(key(Request, "machine C").Id, New.Id);
  }
  // In a file of flags and in what edits them.
  write(Folder + "/flags", "-march=native\n");
  write(Folder + "/outer", "-DOUTER \"@flags\"\n");
  for (const char *Flag : {"@flags", "--config=flags", "@outer"}) {
    std::string Path = Flag;
    CompileRequest Request =
        request({Path.insert(Path.find_first_of("@=") + 1, Folder + "/")});
    Request.Compiler =
        script("clang2", "exec " JIT_TEST_COMPILER " \"$@\" -march=$(cat '" +
                             Folder + "/machine')\n");
    write(Folder + "/machine", "znver2");
    const KeyRecord Old = key(Request, "machine A");
    write(Folder + "/machine", "haswell");
    EXPECT_EQ(difference(Old, key(Request, "machine B")), List{"processor"})
        << Flag;
  }
}

TEST_F(CompileInputsTest, OldCompilerIsCalledOld) {
  CompileRequest Request = request();
  Request.Compiler = script("old", "echo \"clang: error: unsupported option "
                                   "'--no-offload-new-driver'\" >&2; exit 1\n");
  auto Key = SourceCache(*C, Service).key(Request);
  ASSERT_FALSE(Key.ok());
  EXPECT_EQ(Key.status().message().rfind(
                Request.Compiler + ": is too old for HIP: it does not know "
                                   "--no-offload-new-driver; name a clang++",
                0),
            0u)
      << Key.status().message();
}

// A link that makes code is told the processor, too.
TEST_F(CompileInputsTest, ProcessorOfALinkIsInTheKey) {
  CompileRequest Request = request();
  const KeyRecord Without = key(Request);
  Request.LinkFlags = {"-fuse-ld=lld", "-Wl,--plugin-opt=mcpu=native"};
  const KeyRecord With = key(Request);
  write(Folder + "/inner", Request.LinkFlags[1]);
  write(Folder + "/outer", "-fuse-ld=lld @" + Folder + "/inner");
  Request.LinkFlags = {"@" + Folder + "/outer"};
  const KeyRecord InFile = key(Request);
  const auto count = [](const KeyRecord &Key) {
    return std::count_if(
        Key.Fields.begin(), Key.Fields.end(),
        [](const KeyField &F) { return F.Name == "processor"; });
  };
  EXPECT_EQ(count(Without), 1);
  EXPECT_EQ(count(With), 2);
  EXPECT_EQ(count(InFile), 2);
}

// A header that comes to be where it would be found first.
TEST_F(CompileInputsTest, ShadowingHeaderIsNoticed) {
  const KeyRecord Before = key(request());
  ASSERT_EQ(key(request()).Id, Before.Id);
  for (const char *Place : {"/first/value.h", "/value.h"}) {
    write(Folder + Place, "#define VALUE 43\n");
    EXPECT_EQ(difference(Before, key(request())), List{"include value.h"})
        << Place;
    std::filesystem::remove(Folder + Place);
    EXPECT_EQ(key(request()).Id, Before.Id) << Place;
  }
  // In a folder that is not there yet, of a name with folders, on the way to a
  // name that a macro makes.
  std::filesystem::create_directories(Folder + "/second/deep/er");
  write(Folder + "/second/deep/er/value.h", "#define VALUE 42\n");
  source("#define NAME <deep/er/value.h>\n#include NAME\n"
         "int wanted() { return VALUE; }\n");
  CompileRequest Request = request();
  Request.Flags.insert(Request.Flags.begin(), "-I" + Folder + "/none/yet");
  const KeyRecord Deep = key(Request);
  std::filesystem::create_directories(Folder + "/none/yet/deep/er");
  EXPECT_EQ(key(Request).Id, Deep.Id);
  write(Folder + "/none/yet/deep/er/value.h", "#define VALUE 43\n");
  EXPECT_EQ(difference(Deep, key(Request)), List{"include value.h"});
}

TEST_F(CompileInputsTest, HeaderThatWasAskedForIsNoticed) {
  source("#if __has_include(<option.h>)\nint wanted() { return 1; }\n#else\n"
         "int wanted() { return 2; }\n#endif\n");
  const KeyRecord Before = key(request());
  write(Folder + "/second/option.h", "");
  EXPECT_EQ(difference(Before, key(request())), List{"include option.h"});
  source("#if __has_include(\"sub/option.h\")\nint wanted() { return 1; }\n"
         "#else\nint wanted() { return 2; }\n#endif\n");
  const KeyRecord Quoted = key(request());
  std::filesystem::create_directories(Folder + "/sub");
  write(Folder + "/sub/option.h", "");
  EXPECT_EQ(difference(Quoted, key(request())), List{"include option.h"});
}

// A precompiled header in the place of one that a flag includes.
TEST_F(CompileInputsTest, PrecompiledHeaderOfAFlagIsNoticed) {
  source("int wanted() { return VALUE; }\n");
  const CompileRequest Request =
      request({"-include", Folder + "/second/value.h"});
  const KeyRecord Before = key(Request);
  ASSERT_EQ(std::system((JIT_TEST_COMPILER " -O1 -fPIC -x c++-header -DX=1 " +
                         Folder + "/second/value.h -o " + Folder +
                         "/second/value.h.pch")
                            .c_str()),
            0);
  const List Changed = difference(Before, key(Request));
  EXPECT_NE(std::find(Changed.begin(), Changed.end(), "named value.h.pch"),
            Changed.end());
}

TEST_F(CompileInputsTest, AssemblyIncludesAreInTheKey) {
  write(Folder + "/data.bin", "one ");
  write(Folder + "/second/more.bin", "two ");
  source("#define FOLDER \"" + Folder +
         "\"\nasm(\".section .rodata\\n.globl data\\ndata:\\n"
         ".incbin \\\"\" FOLDER \"/data.bin\\\"\\n.byte 0\\n.text\\n\");\n"
         "asm(R\"(.section .rodata\n.incbin \"more.bin\"\n.text)\");\n"
         "extern \"C\" __attribute__((visibility(\"hidden\"))) char data[];\n"
         "int wanted() { return data[0]; }\n");
  const KeyRecord Before = key(request());
  write(Folder + "/data.bin", "ONE ");
  EXPECT_EQ(difference(Before, key(request())), List{"include data.bin"});
  write(Folder + "/data.bin", "one ");
  write(Folder + "/second/more.bin", "TWO ");
  EXPECT_EQ(difference(Before, key(request())), List{"include more.bin"});
  write(Folder + "/second/more.bin", "two ");
  write(Folder + "/first/more.bin", "new ");
  EXPECT_EQ(difference(Before, key(request())), List{"include more.bin"});
  std::filesystem::remove(Folder + "/first/more.bin");
  EXPECT_EQ(key(request()).Id, Before.Id);
  // And it is compiled again.
  auto Entry = SourceCache(*C, Service).get(request());
  ASSERT_TRUE(Entry.ok()) << Entry.status().message();
  EXPECT_NE(payload(*Entry).find("one "), std::string::npos);
  write(Folder + "/data.bin", "ONE ");
  Entry = SourceCache(*C, Service).get(request());
  ASSERT_TRUE(Entry.ok()) << Entry.status().message();
  EXPECT_NE(payload(*Entry).find("ONE "), std::string::npos);
}

TEST_F(CompileInputsTest, EmbeddedDataIsInTheKey) {
  write(Folder + "/second/data.bin", "one");
  source("static const char Data[] = {\n#embed <data.bin>\n};\n"
         "int wanted() { return Data[0]; }\n");
  const KeyRecord Before = key(request({"--embed-dir=" + Folder + "/second"}));
  write(Folder + "/second/data.bin", "two");
  EXPECT_EQ(
      difference(Before, key(request({"--embed-dir=" + Folder + "/second"}))),
      List{"include data.bin"});
}

// Whatever file a flag names is in the key by content, and by its name alone.
TEST_F(CompileInputsTest, FilesOfFlagsAreInTheKey) {
  const std::string File = Folder + "/input";
  ASSERT_EQ(std::system((JIT_TEST_COMPILER " -shared -fPIC -x c /dev/null "
                                           "-o " +
                         Folder + "/plugin.so")
                            .c_str()),
            0);
  struct Case {
    List Flags;
    std::string File, Before, After, Field;
  };
  const std::string Plugin = read(Folder + "/plugin.so");
  const std::vector<Case> Cases = {
      {{"@" + File}, "/input", "-DX=1\n", "-DX=2\n", "named input"},
      {{"--config=" + File}, "/input", "-DX=1\n", "-DX=2\n", "named input"},
      {{"-fsanitize=undefined", "-fsanitize-ignorelist=" + File},
       "/input",
       "fun:a\n",
       "fun:b\n",
       "include input"},
      {{"-fprofile-list=" + File},
       "/input",
       "fun:a\n",
       "fun:b\n",
       "include input"},
      {{"-fmodules", "-fmodule-map-file=" + File},
       "/input",
       "module a {}\n",
       "module b {}\n",
       "include input"},
      {{"-frandomize-layout-seed-file=" + File},
       "/input",
       "1\n",
       "2\n",
       "named input"},
      {{"-Xclang", "-load", "-Xclang", Folder + "/plugin.so"},
       "/plugin.so",
       Plugin,
       Plugin + "more",
       "named plugin.so"},
      {{"-fplugin=" + Folder + "/plugin.so"},
       "/plugin.so",
       Plugin,
       Plugin + "more",
       "named plugin.so"},
  };
  for (const Case &K : Cases) {
    write(Folder + K.File, K.Before);
    const KeyRecord Before = key(request(K.Flags));
    write(Folder + K.File, K.After);
    EXPECT_EQ(difference(Before, key(request(K.Flags))), List{K.Field})
        << K.Flags.front();
    // Elsewhere: the same key.
    write(Folder + K.File, K.Before);
    std::filesystem::copy(Folder + K.File, Folder + "/other" + K.File,
                          std::filesystem::copy_options::overwrite_existing);
    List Moved = K.Flags;
    Moved.back().replace(Moved.back().find(Folder), Folder.size(),
                         Folder + "/other");
    EXPECT_EQ(difference(Before, key(request(Moved))), List{})
        << K.Flags.front();
  }
}

// A macro's value is no file, even if there is one of that name.
TEST_F(CompileInputsTest, MacrosKeepTheirPaths) {
  write(Folder + "/other/value.h", "#define VALUE 42\n");
  for (const std::string Start : {"-DNAME=", "NAME="}) {
    CompileRequest One = request(), Two = request();
    if (Start[0] != '-') {
      One.Flags.push_back("-D");
      Two.Flags.push_back("-D");
    }
    One.Flags.push_back(Start + Folder + "/second/value.h");
    Two.Flags.push_back(Start + Folder + "/other/value.h");
    EXPECT_EQ(difference(key(One), key(Two)), List{"flag"});
  }
}

// A profile has a name of its own in a folder.
TEST_F(CompileInputsTest, ProfileIsInTheKey) {
  const std::string Profile = Folder + "/other/default.profdata";
  const auto make = [&](const char *Count) {
    write(Folder + "/text", std::string(":ir\nwanted\n1\n1\n") + Count + "\n");
    ASSERT_EQ(std::system((JIT_TEST_PROFILER " merge -o " + Profile + " " +
                           Folder + "/text")
                              .c_str()),
              0);
  };
  const CompileRequest Request =
      request({"-fprofile-use=" + Folder + "/other"});
  make("1");
  const KeyRecord Before = key(Request);
  make("1000");
  EXPECT_EQ(difference(Before, key(Request)), List{"named default.profdata"});
}

// What was read is in the key, not which variable named it.
TEST_F(CompileInputsTest, VariablesThatChangeNothingAreNotInTheKey) {
  const KeyRecord Before = key(request());
  for (const char *Name :
       {"ROCM_PATH", "HIP_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH",
        "CPLUS_INCLUDE_PATH", "COMPILER_PATH", "HIP_DEVICE_LIB_PATH"}) {
    const Variable Set(Name, Folder + "/other");
    EXPECT_EQ(difference(Before, key(request())), List{}) << Name;
  }
  {
    const Variable Set("SOURCE_DATE_EPOCH", "1700000000");
    EXPECT_EQ(key(request()).Id, Before.Id);
  }
  // They are, where they change what is read.
  write(Folder + "/other/value.h", "#define VALUE 44\n");
  std::filesystem::remove(Folder + "/second/value.h");
  const Variable Set("CPLUS_INCLUDE_PATH", Folder + "/other");
  EXPECT_EQ(difference(Before, key(request())), List{"include value.h"});
}

TEST_F(CompileInputsTest, DateIsInTheKeyIfUsed) {
  source("const char *wanted() { return __DATE__; }\n");
  const KeyRecord Before = key(request());
  const Variable Set("SOURCE_DATE_EPOCH", "1700000000");
  EXPECT_EQ(difference(Before, key(request())),
            List{"environment SOURCE_DATE_EPOCH"});
}

// Built into an image without the variables, used with them, nothing compiled.
TEST_F(CompileInputsTest, StrictModeHitsWithOtherVariables) {
  ASSERT_TRUE(SourceCache(*C, Service).get(request()).ok());
  CacheOptions Options;
  Options.SystemDirectories = {Folder + "/cache"};
  Options.Directory = Folder + "/none";
  Options.Mode = CacheMode::Strict;
  Options.OnEvent = [](const CacheEvent &) {};
  auto Strict = std::move(*Cache::open(std::move(Options)));
  const Variable Rocm("ROCM_PATH", "/opt/rocm"),
      Lib("LIBRARY_PATH", "/opt/lib");
  auto Entry = SourceCache(*Strict, Service).get(request());
  EXPECT_TRUE(Entry.ok()) << Entry.status().message();
  // What is not there says in what it differs from what is.
  auto Missing = SourceCache(*Strict, Service).get(request({"-DNEW=1"}));
  ASSERT_FALSE(Missing.ok());
  EXPECT_EQ(Missing.status().code(), StatusCode::KernelNotFound);
  EXPECT_NE(
      Missing.status().message().find("the nearest entry differs in: flag "
                                      "-DNEW=1 added"),
      std::string::npos)
      << Missing.status().message();
}

// An archive or another kind of library where the link looks first.
TEST_F(CompileInputsTest, ShadowingLibraryIsNoticed) {
  source("extern \"C\" int part();\nint wanted() { return part(); }\n");
  const auto make = [&](const std::string &Place, int Value) {
    write(Folder + "/part.c",
          "int part(void) { return " + std::to_string(Value) + "; }\n");
    ASSERT_EQ(std::system((JIT_TEST_COMPILER " -x c -fPIC -c " + Folder +
                           "/part.c -o " + Folder + "/part.o && " +
                           JIT_TEST_ARCHIVER " rcs " + Folder + Place + " " +
                           Folder + "/part.o")
                              .c_str()),
              0);
  };
  make("/second/libpart.a", 1);
  CompileRequest Request = request();
  Request.LinkFlags = {"-L" + Folder + "/first", "-L" + Folder + "/second",
                       "-lpart"};
  const KeyRecord Before = key(Request);
  make("/first/libpart.a", 2);
  EXPECT_EQ(difference(Before, key(Request)), List{"link libpart.a"});
}

// The compiler is watched: what it opens of our files is in the key.
TEST_F(CompileInputsTest, EveryFileThatIsOpenedIsInTheKey) {
  write(Folder + "/second/data.bin", "one");
  write(Folder + "/ignore", "fun:a\n");
  write(Folder + "/flags", "-DX=1\n");
  write(Folder + "/config", "-DY=1\n");
  write(Folder + "/script.map", "{ wanted_by_others; };\n");
  source("#include <value.h>\n"
         "static const char Data[] = {\n#embed \"second/data.bin\"\n};\n"
         "asm(\".section .rodata\\n.incbin \\\"data.bin\\\"\\n.text\");\n"
         "int wanted() { return VALUE + X + Y + Data[0]; }\n");
  CompileRequest Request =
      request({"@" + Folder + "/flags", "--config=" + Folder + "/config",
               "-fsanitize=undefined", "-fsanitize-trap=undefined",
               "-fsanitize-ignorelist=" + Folder + "/ignore"});
  Request.LinkFlags = {"-Wl,--dynamic-list=" + Folder + "/script.map"};
  std::string Line = "cd " + Folder + " && strace -f -qq -e trace=openat -o " +
                     Folder + "/trace " JIT_TEST_COMPILER " -shared -fPIC";
  for (const List *Flags : {&Request.Flags, &Request.LinkFlags})
    for (const std::string &Flag : *Flags)
      Line += " '" + Flag + "'";
  ASSERT_EQ(std::system((Line + " blob.cpp -o /dev/null").c_str()), 0);

  auto Scanned = Service.scan(Request);
  ASSERT_TRUE(Scanned.ok()) << Scanned.status().message();
  auto Tools = Service.tools(Request);
  ASSERT_TRUE(Tools.ok()) << Tools.status().message();
  List Known = {Request.Source};
  for (const List *Files :
       {&Scanned->Files, &Scanned->Named, &Tools->Files, &Tools->Linked})
    Known.insert(Known.end(), Files->begin(), Files->end());
  std::vector<std::filesystem::path> Real;
  for (const std::string &File : Known)
    Real.push_back(std::filesystem::weakly_canonical(File));
  std::ifstream Trace(Folder + "/trace");
  unsigned Ours = 0;
  for (std::string Text; std::getline(Trace, Text);) {
    const size_t Start = Text.find('"'), End = Text.find('"', Start + 1);
    if (Start == std::string::npos ||
        Text.find("O_RDONLY") == std::string::npos ||
        Text.find("= -1") != std::string::npos ||
        Text.find("O_DIRECTORY") != std::string::npos)
      continue;
    std::filesystem::path Path(Text.substr(Start + 1, End - Start - 1));
    Path = std::filesystem::weakly_canonical(
        Path.is_absolute() ? Path : std::filesystem::path(Folder) / Path);
    std::error_code Ignored;
    if (!std::filesystem::is_regular_file(Path, Ignored))
      continue; // folders, devices, and what was temporary
    const std::string Name = Path.string();
    Ours += Name.compare(0, Folder.size(), Folder) == 0;
    // The machine's own tables; shared objects are the loader's, or are linked
    // by reference.
    const bool IsSystem = Name.compare(0, 5, "/etc/") == 0 ||
                          Name.compare(0, 6, "/proc/") == 0 ||
                          Name.compare(0, 5, "/sys/") == 0 ||
                          Name.find("-release") != std::string::npos ||
                          Name.find("locale") != std::string::npos ||
                          Name.find("gconv") != std::string::npos ||
                          Name.find(".so") != std::string::npos;
    EXPECT_TRUE(IsSystem ||
                std::find(Real.begin(), Real.end(), Path) != Real.end())
        << Name;
  }
  EXPECT_GE(Ours, 7u);
}

TEST_F(CompileInputsTest, AssemblyNamesAreFoundInStrings) {
  EXPECT_EQ(assemblyIncludes("f(\"a\\\"b\"); asm(\".incbin \" \"\\\"x\" "
                             "\n \" y\\\",1\"); c='\"'; n=1'000; u8\"z\""),
            List{"x y"});
  EXPECT_EQ(assemblyIncludes("asm(R\"d(\t.include \"in.s\")d\" L\"\")"),
            List{"in.s"});
  EXPECT_EQ(assemblyIncludes("\".incbin %0\" \"unclosed"), List{});
  EXPECT_EQ(assemblyIncludes("R\"(never closed"), List{});
}

// A folder that this user may not enter hides names from its compiler: a list
// with it holds, or nothing that looks there would ever be done compiling.
TEST_F(CompileInputsTest, FolderThatMayNotBeEnteredHidesNames) {
  const std::string Hidden = Folder + "/hidden";
  std::filesystem::create_directories(Hidden);
  FileNames Names;
  FolderRecord Record;
  Record.Path = Hidden;
  Record.Missing = "lib/" + std::string(300, 'x');
  Names.Folders.push_back(Record);
  Result<FileSet> Set = FileSet::of(Names);
  ASSERT_TRUE(Set.ok());
  EXPECT_TRUE(Set->unchanged());
  ASSERT_EQ(::chmod(Hidden.c_str(), 0), 0);
  Set = FileSet::of(Names);
  ASSERT_TRUE(Set.ok());
  const uid_t User = ::geteuid();
  if (User == 0)
    ASSERT_EQ(::seteuid(65534), 0); // root may enter every folder
  EXPECT_TRUE(Set->unchanged());
  if (User == 0)
    ASSERT_EQ(::seteuid(0), 0);
  ::chmod(Hidden.c_str(), 0700);
  std::filesystem::create_directories(Hidden + "/lib");
  EXPECT_FALSE(Set->unchanged());
}

} // namespace
