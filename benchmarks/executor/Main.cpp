//===- Main.cpp - what executors cost -------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the figures of all groups of rows (Rows.h). docs/reference/bench.md
// says what they mean.
//
//   executor-bench [--rounds N] [--json]
//
// KPACK_JIT_COMPILER names the compiler.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>

static constexpr Measure *Groups[] = {measureCompiles};

double medianOf(std::vector<double> Values) {
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
static void printJson(const std::vector<Row> &Rows) {
  std::printf("{\"schema\": \"kpack.bench.executor/1\", \"rows\": [");
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
      : Path((std::filesystem::temp_directory_path() / "executor-bench-XXXXXX")
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

int main(int Count, char **Words) {
  bool AsJson = false;
  int Rounds = 30;
  for (int I = 1; I < Count; ++I) {
    std::string_view Word = Words[I];
    if (Word == "--json")
      AsJson = true;
    else if (Word != "--rounds" || ++I == Count ||
             (Rounds = std::atoi(Words[I])) < 1) {
      std::fputs("executor-bench: error: usage: executor-bench [--rounds N] "
                 "[--json]\n",
                 stderr);
      return 1;
    }
  }
  std::vector<Row> Rows;
  try {
    for (Measure *Group : Groups) {
      TemporaryFolder Folder;
      Group({Folder.Path, Rounds}, Rows);
    }
  } catch (const std::exception &Why) {
    std::fprintf(stderr, "executor-bench: error: %s\n", Why.what());
    return 1;
  }
  AsJson ? printJson(Rows) : print(Rows);
}
