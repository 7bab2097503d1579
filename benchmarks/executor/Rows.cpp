//===- Rows.cpp - rows of measured figures, printed as tables -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>

double computeMedian(std::vector<double> Values) {
  auto Middle = Values.begin() + std::ptrdiff_t(Values.size() / 2);
  std::nth_element(Values.begin(), Middle, Values.end());
  return *Middle;
}

static bool isMet(const Row &R) {
  return R.Wanted->IsLeast ? R.Value >= R.Wanted->Limit
                           : R.Value <= R.Wanted->Limit;
}

static void print(const std::vector<Row> &Rows) {
  const std::string *Group = nullptr;
  for (const Row &R : Rows) {
    if (!Group || *Group != R.Group)
      std::printf("%s\n", R.Group.c_str());
    Group = &R.Group;
    std::printf("  %-40s %10.3f %s", R.Name.c_str(), R.Value, R.Unit.c_str());
    if (R.Wanted)
      std::printf("   (aim: at %s %g%s)", R.Wanted->IsLeast ? "least" : "most",
                  R.Wanted->Limit, isMet(R) ? "" : ", missed");
    std::printf("\n");
  }
}

/// Names of rows are ours: none has a character that JSON would escape.
static void printJson(const std::string &Name, const std::vector<Row> &Rows) {
  std::printf("{\"schema\": \"kpack.bench.%s/1\", \"rows\": [", Name.c_str());
  const char *Separator = "";
  for (const Row &R : Rows) {
    std::printf("%s\n  {\"group\": \"%s\", \"name\": \"%s\", \"unit\": \"%s\", "
                "\"value\": %.6g",
                Separator, R.Group.c_str(), R.Name.c_str(), R.Unit.c_str(),
                R.Value);
    if (R.Wanted)
      std::printf(", \"%s\": %g, \"met\": %s",
                  R.Wanted->IsLeast ? "at_least" : "at_most", R.Wanted->Limit,
                  isMet(R) ? "true" : "false");
    std::printf("}");
    Separator = ",";
  }
  std::printf("\n]}\n");
}

namespace {

/// Removed however a measurement ends.
class TemporaryFolder {
public:
  TemporaryFolder()
      : Path((std::filesystem::temp_directory_path() / "kpack-bench-XXXXXX")
                 .string()) {
    if (!::mkdtemp(Path.data()))
      throw std::runtime_error(Path + ": cannot be made; set TMPDIR to a place "
                                      "that can be written");
  }
  ~TemporaryFolder() {
    std::error_code Ignored;
    std::filesystem::remove_all(Path, Ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;

  std::string Path;
};

} // namespace

namespace {

/// A command line.
struct Options {
  bool AsJson = false;
  int Rounds = 30;
  std::string_view Only; ///< a group; empty: all

  /// False: there is no such.
  bool read(int Count, char **Arguments, std::span<const Group> Groups) {
    for (int I = 1; I < Count; ++I) {
      std::string_view Word = Arguments[I];
      const char *Value = I + 1 < Count ? Arguments[I + 1] : "";
      if (Word == "--json") {
        AsJson = true;
        continue;
      }
      if (Word == "--rounds")
        Rounds = std::atoi(Value);
      else if (Word == "--group")
        Only = Value;
      else
        return false;
      ++I;
    }
    bool Exists = Only.empty();
    for (const Group &Each : Groups)
      Exists = Exists || Each.Name == Only;
    return Exists && Rounds > 0;
  }
};

} // namespace

int runBenchmark(const std::string &Name, std::span<const Group> Groups,
                 int Count, char **Arguments) {
  Options Opts;
  if (!Opts.read(Count, Arguments, Groups)) {
    std::string Names;
    for (const Group &Each : Groups)
      Names.append(Names.empty() ? "" : "|").append(Each.Name);
    std::fprintf(stderr,
                 "%s-bench: error: usage: %s-bench [--rounds N] [--group %s] "
                 "[--json]\n",
                 Name.c_str(), Name.c_str(), Names.c_str());
    return 1;
  }
  std::vector<Row> Rows;
  try {
    for (const Group &Each : Groups) {
      if (!Opts.Only.empty() && Each.Name != Opts.Only)
        continue;
      TemporaryFolder Folder;
      Each.Of({Folder.Path, Opts.Rounds}, Rows);
    }
  } catch (const std::exception &Why) {
    std::fprintf(stderr, "%s-bench: error: %s\n", Name.c_str(), Why.what());
    return 1;
  }
  Opts.AsJson ? printJson(Name, Rows) : print(Rows);
  return 0;
}
