//===- TraceFolder.h - trace files of prebuilds -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ck-jit prebuild build --trace <folder>` appends a line for each blob to a
// separate file in that folder, which many machines may share: appending to one
// file is not safe on network file systems. `ck-jit prebuild report` reads all
// of them. A line is a JSON object:
//   {"blob","target","state","seconds","ended","worker","pid"}
// "ended" is in seconds since 1970; "worker" is Slurm's node name, or the
// host's.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_PREBUILD_TRACEFOLDER_H
#define KPACK_LIB_CKJIT_PREBUILD_TRACEFOLDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <vector>

namespace kpack::ckjit {

/// A blob that one process has handled.
struct TraceRecord {
  std::string Blob, Target;
  std::string State;  ///< compiled, cached or failed
  double Seconds = 0; ///< of the compile
  double Ended = 0;   ///< seconds since 1970
  std::string Worker = {};
  int64_t Pid = 0;
};

/// The file of this process in a trace folder. Not thread-safe.
class TraceWriter {
public:
  /// Creates the folder. The first record creates the file.
  static llvm::Expected<TraceWriter> create(llvm::StringRef Folder);

  /// Sets worker, process and time. On a full disk the record is lost, but not
  /// the blob.
  void add(TraceRecord Record);

private:
  void warnOnce();

  std::string Path, Worker;
  bool HasWarned = false;
  std::shared_ptr<llvm::raw_fd_ostream> File;
};

/// Returns all records below \p Folder, by time. Skips incomplete lines of a
/// machine that died; a folder without any record is an error.
llvm::Expected<std::vector<TraceRecord>> readTrace(llvm::StringRef Folder);

/// Prints a line for each worker, then the blobs that several of them have
/// compiled.
void printTrace(llvm::ArrayRef<TraceRecord> Records, llvm::raw_ostream &Out);
void printTraceJson(llvm::ArrayRef<TraceRecord> Records,
                    llvm::raw_ostream &Out);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_PREBUILD_TRACEFOLDER_H
