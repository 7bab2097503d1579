//===- Rows.h - rows of measured figures, printed as tables -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group of rows is a function in a file of its own, which a Main.cpp lists,
// here and in benchmarks/conv. A row is one figure, with the aim that it has;
// figures that are to be compared are measured in turn, by one function.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_BENCHMARKS_EXECUTOR_ROWS_H
#define KPACK_BENCHMARKS_EXECUTOR_ROWS_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The figure is to be at most, or at least, that.
struct Aim {
  double Limit;
  bool IsLeast = false;
};

struct Row {
  std::string Group; ///< "compile"
  std::string Name;  ///< "saxpy gfx90a, served"
  std::string Unit;  ///< "ms"
  double Value = 0;
  std::optional<Aim> Wanted = {};
};

/// What all groups are given.
struct Run {
  std::string Folder; ///< empty, and removed afterwards
  int Rounds;         ///< how often what takes milliseconds is measured
};

/// Adds rows. Throws std::runtime_error, why nothing can be measured.
using Measure = void(const Run &Settings, std::vector<Row> &Rows);

/// Compiles.cpp: what a compile takes that no cache has.
Measure measureCompiles;

/// What `--group NAME` is about.
struct Group {
  std::string_view Name;
  Measure *Of;
};

/// All of a program: measures \p Groups and prints their rows, as text or as
/// JSON with the schema "kpack.bench.NAME/1". What main() returns.
int runBenchmark(const std::string &Name, std::span<const Group> Groups,
                 int Count, char **Arguments);

/// The middle one. \p Values has some.
double computeMedian(std::vector<double> Values);

#endif // KPACK_BENCHMARKS_EXECUTOR_ROWS_H
