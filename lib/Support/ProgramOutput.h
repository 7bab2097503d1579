//===- Support/ProgramOutput.h - output of a program ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For short answers, such as those to --version. No file is needed for them:
// they come through memory.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_PROGRAMOUTPUT_H
#define KPACK_SUPPORT_PROGRAMOUTPUT_H

#include <optional>
#include <string>
#include <vector>

namespace kpack {

/// Runs the program \p Arguments[0], which is not searched in PATH, with
/// nothing to read and its messages dropped. Returns its output, at most 1 MiB
/// of it; nothing if it cannot be started, does not exit with 0, or still runs
/// after \p Milliseconds (-1: any time), when it is killed.
std::optional<std::string>
programOutput(const std::vector<std::string> &Arguments, int Milliseconds = -1);

} // namespace kpack

#endif // KPACK_SUPPORT_PROGRAMOUTPUT_H
