//===- HelperProgram.h - how a helper is run --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a helper for one question (HelperProcess.h) and one for many
// (ServerProcess.h) have in common. The helper is opened once: what is checked
// is what is run.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVICE_HELPERPROGRAM_H
#define KPACK_LIB_JIT_SERVICE_HELPERPROGRAM_H

#include "Jit/Store/Message.h"
#include "Support/Process.h"
#include "kpack/Support/Status.h"

namespace kpack::jit {

/// A helper that is open, and by what name it is run.
struct OpenHelper {
  UniqueFd File;
  std::string Path;
  /// The program that a script is for opens it again.
  bool IsInherited = false;
};

/// Errors: KernelNotFound, this program has more rights than its user.
Status checkForHelpers(const std::string &Program);

/// A helper is as good as the library beside it. Errors: FileNotFound, IoError,
/// InvalidArgument.
Result<OpenHelper> openHelper(const std::string &Program);

/// All but the streams.
ProcessOptions optionsFor(const OpenHelper &Helper, const std::string &Program);

/// Why \p Program does not run, \p Error as of errno.
Status cannotRun(const std::string &Program, int Error);

/// A file without a name that holds \p Question, at its start.
UniqueFd fileOf(const Message &Question);

/// Our environment without what is meant for us alone.
std::vector<std::string> environmentOfHelper();

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVICE_HELPERPROGRAM_H
