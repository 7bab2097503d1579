//===- HelperProgram.h - start of a helper program --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of a helper for one question (HelperProcess.h) and for many
// (ServerProcess.h). The helper is opened once, so that the checked file is the
// one that runs.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVICE_HELPERPROGRAM_H
#define KPACK_LIB_JIT_SERVICE_HELPERPROGRAM_H

#include "Jit/Store/Message.h"
#include "Support/Process.h"
#include "kpack/Support/Status.h"

namespace kpack::jit {

/// An open helper and the path to execute.
struct OpenHelper {
  UniqueFd File;
  std::string Path;
  /// True for a script: its interpreter opens the file again.
  bool IsInherited = false;
};

/// Errors: KernelNotFound in a program with more rights than its user.
Status checkForHelpers(const std::string &Program);

/// Opens a helper; it is trusted like the library beside it. Errors:
/// FileNotFound, IoError, InvalidArgument.
Result<OpenHelper> openHelper(const std::string &Program);

/// Returns all options except the streams.
ProcessOptions optionsFor(const OpenHelper &Helper, const std::string &Program);

/// Returns the error for a \p Program that does not start; \p Error is an
/// errno.
Status cannotRun(const std::string &Program, int Error);

/// Returns an unnamed file that holds \p Question, positioned at its start.
UniqueFd getFile(const Message &Question);

/// Returns our environment without the variables for this process alone.
std::vector<std::string> environmentOfHelper();

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVICE_HELPERPROGRAM_H
