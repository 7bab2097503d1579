//===- Doctor.h - what may be wrong with a user's cache ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One check looks at one thing and adds what it found. A finding that is not
// "ok" says how to mend it. Of the directory: DirectoryChecks.cpp; of what
// compiles: CompileChecks.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_DOCTOR_H
#define KPACK_LIB_JITTOOL_DOCTOR_H

#include "OpenedCache.h"

#include "llvm/ADT/Twine.h"

namespace kpack::jittool {

struct Finding {
  llvm::StringRef Level; ///< "ok", "warning" or "error"
  std::string Topic;
  std::string Text;
};

class Findings {
public:
  explicit Findings(const FrontDoor &Door) : Door(Door) {}
  void ok(llvm::StringRef Topic, const llvm::Twine &Text) {
    All.push_back({"ok", Topic.str(), Text.str()});
  }
  void warning(llvm::StringRef Topic, const llvm::Twine &Text) {
    All.push_back({"warning", Topic.str(), Text.str()});
  }
  void error(llvm::StringRef Topic, const llvm::Twine &Text) {
    All.push_back({"error", Topic.str(), Text.str()});
  }
  const std::vector<Finding> &all() const { return All; }

  const FrontDoor &Door; ///< whose names are in what is found

private:
  std::vector<Finding> All;
};

/// Owner, mode, space, file system, locks of the directory.
void checkDirectory(Findings &To, const Place &Where);
/// Read-only layers.
void checkSystemCaches(Findings &To, const Invocation &I);
/// Whether the remote server answers.
void checkRemote(Findings &To, const Invocation &I, const Place &Where);
/// Entries that cannot be read or come from the future.
void checkEntries(Findings &To, const Place &Where);
/// Locks and refused entries that were left behind.
void checkLeftovers(Findings &To, const Place &Where);

void checkMode(Findings &To, const Invocation &I);
void checkSources(Findings &To, const Invocation &I);
/// The target id to compile for; empty where it is not clear.
std::string checkTarget(Findings &To, const Invocation &I);
void checkHelper(Findings &To, const Invocation &I);
void checkCompiler(Findings &To, const Invocation &I);
/// Compiles, caches, finds, loads and calls a function of three lines; compiles
/// a kernel for \p Target, unless that is empty.
void checkTrial(Findings &To, const Invocation &I, const std::string &Target);

} // namespace kpack::jittool

#endif // KPACK_LIB_JITTOOL_DOCTOR_H
