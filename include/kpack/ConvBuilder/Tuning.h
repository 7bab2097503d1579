//===- Tuning.h - file of measured times of algorithms ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-tune.txt: measured algorithms of problems, one on each line, in texts
// that people can read (docs/format/conv-tune.md):
//
//   kpack-conv-tune 1
//   gfx942 {spatial_dim=2,...} {batch=32,...} {kind=...} 12.5 5 kpack/39f0...
//
// merge() combines files of several machines and users. A line that was
// measured with other kernels than this library's is a hint: its algorithm is
// tried first, its time is ignored. The caller measures, through
// Context::tune() (Context.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_TUNING_H
#define KPACK_CONVBUILDER_TUNING_H

#include "kpack/ConvBuilder/Describe.h"

#include <map>

namespace kpack::conv {

/// A line of the file.
struct TuningRecord {
  std::string Processor; ///< "gfx942"; "cpu"
  Signature Sig;         ///< from resolveSignature()
  Problem Sizes;
  Algorithm How;             ///< complete
  double Microseconds = 0;   ///< of one call, the minimum
  unsigned Samples = 0;      ///< number of measurements
  std::string Producer = {}; ///< library and kernels: tuningProducer()

  /// Returns the line of the file without its end.
  std::string text() const;
};

/// Identifies this library and its kernels: "kpack/" and kernelsDigest().
std::string tuningProducer();

/// Records by processor, signature and problem. Not thread-safe.
class TuningTable {
public:
  /// Limits of a file, in bytes and lines, and of a line, in bytes.
  static constexpr std::size_t MaxBytes = 16 << 20, MaxLines = 16384,
                               MaxLine = 3 * MaxText + 256;

  /// Parses a file's text. Errors: InvalidFormat, "<name>:LINE: ...", for the
  /// whole file.
  static Result<TuningTable> parse(std::string_view Text,
                                   const std::string &Name = "conv-tune.txt");
  /// Reads a file. Errors: FileNotFound, IoError; those of parse().
  static Result<TuningTable> read(const std::string &Path);

  /// Adds a record. For one algorithm and producer, keeps the record with more
  /// samples, or else the faster one.
  void add(const TuningRecord &Record);
  /// Adds all records of \p Other.
  void merge(const TuningTable &Other);

  /// Returns the records of that processor, signature and problem: those of \p
  /// Producer first, then the fastest first. \p Sig is resolved.
  std::vector<TuningRecord> find(std::string_view Processor,
                                 const Signature &Sig, const Problem &Sizes,
                                 std::string_view Producer) const;

  std::size_t size() const { return Records.size(); }
  /// Returns the whole file; lines are sorted, so that equal tables have equal
  /// texts.
  std::string text() const;
  /// Merges the table into the file, through a temporary file and a rename.
  /// Threads and processes take turns, if the file system has locks. Errors:
  /// those of read() except FileNotFound; IoError.
  Status writeTo(const std::string &Path) const;

private:
  /// Keys: processor, signature, problem, producer, algorithm.
  std::map<std::string, TuningRecord> Records;
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_TUNING_H
