//===- Headers.cpp - time to compile the builder's headers ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processor time in which a compiler reads headers, -fsyntax-only, and what
// they add to the standard headers that they include. With CK_DIR, a checkout
// of Composable Kernel, the same of its builder's concepts, which are the part
// that needs no HIP.
//
//===----------------------------------------------------------------------===//
#include "Groups.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

namespace {

/// Headers, the standard ones that they include, and where they are.
struct Unit {
  const char *Name;
  const char *Standard;
  const char *Text;
  std::vector<std::string> Folders;
};

constexpr const char *Few =
    "#include <concepts>\n#include <cstddef>\n#include <cstdint>\n"
    "#include <initializer_list>\n#include <string_view>\n"
    "#include <type_traits>\n#include <utility>\n";
constexpr const char *Many =
    "#include <cassert>\n#include <concepts>\n#include <cstddef>\n"
    "#include <cstdint>\n#include <initializer_list>\n#include <optional>\n"
    "#include <string>\n#include <string_view>\n#include <type_traits>\n"
    "#include <utility>\n#include <vector>\n";

} // namespace

/// Waits for a compiler. User and system time of it and its children.
static double measureSeconds(std::vector<std::string> Command) {
  std::vector<char *> Argv;
  for (std::string &Word : Command)
    Argv.push_back(Word.data());
  Argv.push_back(nullptr);
  pid_t Child;
  if (int Error = ::posix_spawnp(&Child, Argv[0], nullptr, nullptr, Argv.data(),
                                 environ))
    throw std::runtime_error(Command[0] + ": cannot be started, error " +
                             std::to_string(Error));
  int Status;
  rusage Used;
  if (::wait4(Child, &Status, 0, &Used) < 0 || Status != 0)
    throw std::runtime_error(Command[0] + ": fails on " + Command.back());
  double Sum = 0;
  for (const timeval &Time : {Used.ru_utime, Used.ru_stime})
    Sum += static_cast<double>(Time.tv_sec) +
           static_cast<double>(Time.tv_usec) * 1e-6;
  return Sum;
}

static double compileSeconds(const std::string &Compiler, const char *Text,
                             const std::vector<std::string> &Folders,
                             const Run &Settings) {
  std::string Path = Settings.Folder + "/unit.cpp";
  std::ofstream(Path) << Text;
  std::vector<std::string> Command = {Compiler, "-std=c++20", "-fsyntax-only"};
  for (const std::string &Folder : Folders)
    Command.push_back("-I" + Folder);
  Command.push_back(Path);
  std::vector<double> Seconds;
  for (int I = 0; I < Settings.Rounds; ++I)
    Seconds.push_back(measureSeconds(Command));
  return computeMedian(Seconds);
}

void measureHeaders(const Run &Settings, std::vector<Row> &Rows) {
  std::vector<Unit> Units = {
      {"requirements",
       Few,
       "#include <kpack/ConvBuilder/ResolveAlgorithm.h>",
       {INCLUDES}},
      {"texts", Many, "#include <kpack/ConvBuilder/Describe.h>", {INCLUDES}}};
  if (const char *Ck = std::getenv("CK_DIR"))
    Units.push_back({"CK's concepts",
                     Few,
                     "#include <ck_tile/builder/conv_signature_concepts.hpp>\n"
                     "#include <ck_tile/builder/conv_algorithm_concepts.hpp>\n",
                     {std::string(Ck) + "/experimental/builder/include",
                      std::string(Ck) + "/include"}});
  const char *Clang = std::getenv("KPACK_JIT_COMPILER");
  for (const std::string &Compiler :
       {std::string(Clang ? Clang : "clang++"), std::string("g++")})
    for (const Unit &Each : Units) {
      std::string Name = std::filesystem::path(Compiler).filename();
      double Standard = compileSeconds(Compiler, Each.Standard, {}, Settings);
      double All = compileSeconds(Compiler, Each.Text, Each.Folders, Settings);
      auto Add = [&](const char *Label, double Seconds,
                     std::optional<Aim> Wanted = {}) {
        Rows.push_back({"headers", Name + ", " + Each.Name + Label, "CPU-s",
                        Seconds, Wanted});
      };
      Add(", with standard headers", All);
      Add("", All - Standard, Aim{0.1});
    }
}
