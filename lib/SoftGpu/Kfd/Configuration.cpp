//===- Configuration.cpp - settings of the emulated driver ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An invalid value is an error and not ignored: the run would not be the one
// that the user asked for.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Kfd/Configuration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <limits>

using namespace kpack::softgpu;
using namespace llvm;

/// Returns an empty string if the variable is not set or the process is
/// privileged (secure_getenv()).
static StringRef variable(const char *Name) {
  const char *Value = ::secure_getenv(Name);
  return Value ? Value : "";
}

static Error readGpus(Configuration &C) {
  constexpr const char *Name = "KPACK_SOFTGPU_GPUS";
  StringRef List = variable(Name);
  return readProcessors(Name, List.empty() ? DefaultGpu : List)
      .moveInto(C.Gpus);
}

static Error readFlag(const char *Name, bool &Flag) {
  StringRef Text = variable(Name);
  if (!Text.empty() && Text != "0" && Text != "1")
    return createStringError(Twine(Name) + ": '" + Text +
                             "' is neither 0 nor 1; set it to one of them");
  Flag = Text == "1";
  return Error::success();
}

static Error readChecks(Configuration &C) {
  SmallVector<StringRef, 2> Names;
  variable("KPACK_SOFTGPU_CHECK")
      .split(Names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Name : Names) {
    if (Name == "lds")
      C.Machine.CheckUninitialisedLds = true;
    else if (Name == "alignment")
      C.Machine.CheckAlignment = true;
    else
      return createStringError("KPACK_SOFTGPU_CHECK: unknown check '" + Name +
                               "'; there are lds and alignment");
  }
  return Error::success();
}

static Error readOutOfBounds(Configuration &C) {
  StringRef Text = variable("KPACK_SOFTGPU_OUT_OF_BOUNDS");
  if (!Text.empty() && Text != "fail" && Text != "hardware")
    return createStringError("KPACK_SOFTGPU_OUT_OF_BOUNDS: '" + Text +
                             "' is neither fail nor hardware");
  C.Machine.AllowOutOfBounds = Text == "hardware";
  return Error::success();
}

template <typename T>
static Error readNumber(const char *Name, T &Number,
                        T Most = std::numeric_limits<T>::max()) {
  StringRef Text = variable(Name);
  if (!Text.empty() && (Text.getAsInteger(10, Number) || Number > Most))
    return createStringError(Twine(Name) + ": '" + Text +
                             "' is not a number from 0 to " + Twine(Most) +
                             "; set it to one");
  return Error::success();
}

Expected<Configuration> Configuration::fromEnvironment() {
  Configuration C;
  if (Error E = readGpus(C))
    return E;
  if (Error E = readFlag("KPACK_SOFTGPU_STATS", C.Stats))
    return E;
  if (Error E = readFlag("KPACK_SOFTGPU_TRACE", C.Machine.Trace))
    return E;
  if (Error E = readChecks(C))
    return E;
  if (Error E = readOutOfBounds(C))
    return E;
  if (Error E = readNumber("KPACK_SOFTGPU_INSTRUCTION_LIMIT",
                           C.Machine.InstructionLimit))
    return E;
  if (Error E = readNumber("KPACK_SOFTGPU_THREADS", C.Machine.Threads, 1024u))
    return E;
  C.StatusPath = variable("KPACK_SOFTGPU_STATUS").str();
  return C;
}
