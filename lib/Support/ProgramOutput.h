//===- Support/ProgramOutput.h - captured output of a program ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For short outputs, such as that of --version. They come through memory, so
// no temporary file is needed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_PROGRAMOUTPUT_H
#define KPACK_SUPPORT_PROGRAMOUTPUT_H

#include <optional>
#include <string>
#include <vector>

namespace kpack {

/// Runs the program \p Arguments[0], which is not searched in PATH, with empty
/// input and without its messages. Returns its output, at most 1 MiB; nullopt
/// if it cannot be started, does not exit with 0, or still runs after
/// \p Milliseconds (-1: no limit), when it is killed.
std::optional<std::string>
programOutput(const std::vector<std::string> &Arguments, int Milliseconds = -1);

} // namespace kpack

#endif // KPACK_SUPPORT_PROGRAMOUTPUT_H
