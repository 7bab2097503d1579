//===- DoctorChecks.h - checks of a user's cache ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each check tests one thing and adds its findings. A finding other than "ok"
// holds the remedy. DirectoryChecks.cpp has the checks of the directory,
// CompileChecks.cpp those of the compiler.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_DOCTORCHECKS_H
#define KPACK_LIB_JITTOOL_DOCTORCHECKS_H

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

  const FrontDoor &Door; ///< with the names for messages

private:
  std::vector<Finding> All;
};

/// Checks owner, mode, space, file system and locks of the directory.
void checkDirectory(Findings &Results, const Place &Where);
/// Checks the read-only layers.
void checkSystemCaches(Findings &Results, const CacheInvocation &I);
/// Checks that the remote server answers.
void checkRemote(Findings &Results, const CacheInvocation &I,
                 const Place &Where);
/// Finds entries that cannot be read or are from the future.
void checkEntries(Findings &Results, const Place &Where);
/// Finds leftover locks and quarantined entries.
void checkLeftovers(Findings &Results, const Place &Where);

void checkMode(Findings &Results, const CacheInvocation &I);
void checkSources(Findings &Results, const CacheInvocation &I);
/// Returns the target id for compiles; empty if it is not determined.
std::string checkTarget(Findings &Results, const CacheInvocation &I);
void checkHelper(Findings &Results, const CacheInvocation &I);
void checkCompiler(Findings &Results, const CacheInvocation &I);
/// Compiles, caches, finds, loads and calls a function of three lines; compiles
/// a kernel for \p Target, unless that is empty.
void checkTrial(Findings &Results, const CacheInvocation &I,
                const std::string &Target);

} // namespace kpack::jittool

#endif // KPACK_LIB_JITTOOL_DOCTORCHECKS_H
