//===- ProgramOutput.cpp - captured output of a program -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/ProgramOutput.h"
#include "Support/Files.h"
#include "Support/Process.h"
#include "Support/SealedFile.h"

#include <fcntl.h>
#include <unistd.h>

std::optional<std::string>
kpack::programOutput(const std::vector<std::string> &Arguments,
                     int Milliseconds) {
  constexpr uint64_t Most = 1 << 20;
  UniqueFd Output = memoryFile("output");
  UniqueFd Null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!Output || !Null)
    return std::nullopt;
  ProcessOptions Options;
  Options.Arguments = Arguments;
  Options.Input = Options.Error = Null.get();
  Options.Output = Output.get();
  Process Child = Process::start(Options);
  if (!Child)
    return std::nullopt;
  std::optional<ProcessEnd> End = Child.wait(Milliseconds);
  if (!End) {
    Child.kill(SIGKILL);
    Child.wait();
    return std::nullopt;
  }
  if (End->Code != 0 || ::lseek(Output.get(), 0, SEEK_SET) != 0)
    return std::nullopt;
  return readToEnd(Output.get(), Most);
}
