//===- kpack/ConvBuilder/Tuning.h - what was measured -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-tune.txt: which algorithm was measured for which problem, a line each,
// in the texts that people read (docs/format/conv-tune.md):
//
//   kpack-conv-tune 1
//   gfx942 {spatial_dim=2,...} {batch=32,...} {kind=...} 12.5 5 kpack/39f0...
//
// Files of several machines and people are put together by merge(). A line of
// other kernels than this library's is a hint: its algorithm is tried first,
// its time is not believed. Who measures is the caller, by Context::tune()
// (Context.h).
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
  Signature Sig;         ///< as resolveSignature() makes it
  Problem Sizes;
  Algorithm How;             ///< with nothing absent
  double Microseconds = 0;   ///< of one call, the least that was measured
  unsigned Samples = 0;      ///< measurements that it is the least of
  std::string Producer = {}; ///< who, and of which kernels: tuningProducer()

  /// As the file has it, without the end of the line.
  std::string text() const;
};

/// Who this library is, and which kernels it has: "kpack/" and kernelsDigest().
std::string tuningProducer();

/// Records by processor, signature and problem. A value, of one thread at a
/// time.
class TuningTable {
public:
  /// A file has at most so many bytes and lines, a line so many bytes.
  static constexpr std::size_t MaxBytes = 16 << 20, MaxLines = 16384,
                               MaxLine = 3 * MaxText + 256;

  /// Of a file's text. Errors: InvalidFormat, "<name>:LINE: ..."; nothing of
  /// such a file is taken.
  static Result<TuningTable> parse(std::string_view Text,
                                   const std::string &Name = "conv-tune.txt");
  /// Of a file. Errors: FileNotFound, IoError; those of parse().
  static Result<TuningTable> read(const std::string &Path);

  /// Takes a record. Of two of one algorithm and producer that with more
  /// samples stays, then the faster one.
  void add(const TuningRecord &Record);
  /// Takes all of \p Other.
  void merge(const TuningTable &Other);

  /// Of that processor, signature and problem, those of \p Producer first, then
  /// the fastest first. \p Sig is resolved.
  std::vector<TuningRecord> find(std::string_view Processor,
                                 const Signature &Sig, const Problem &Sizes,
                                 std::string_view Producer) const;

  std::size_t size() const { return Records.size(); }
  /// The whole file; lines are sorted, so that equal tables are equal texts.
  std::string text() const;
  /// Merged with what the file has by now, by a temporary file and a rename;
  /// of several threads and processes one after the other, where its file
  /// system has locks. Errors: those of read() but FileNotFound; IoError.
  Status writeTo(const std::string &Path) const;

private:
  /// Processor, signature, problem, producer, algorithm.
  std::map<std::string, TuningRecord> Records;
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_TUNING_H
