//===- PrepareConfig.cpp - options of prepare() ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// prepare() returns the error of the first invalid value: a default argument
// has no other way to report it.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/PrepareConfig.h"

#include "Support/Numbers.h"
#include "Support/Texts.h"

using namespace kpack;
using namespace kpack::jit;

static Status invalid(const char *Name, const std::string &Value,
                      const char *Accepted) {
  return Status(StatusCode::InvalidArgument, std::string(Name) + "=" + Value +
                                                 ": has no meaning; give it " +
                                                 Accepted);
}

/// Keeps \p To if the variable is not set.
static Status readFlag(const char *Name, bool &To) {
  std::string Value = variable(Name);
  bool IsYes = Value == "1" || Value == "True" || Value == "true";
  bool IsNo = Value == "0" || Value == "False" || Value == "false";
  if (!Value.empty() && !IsYes && !IsNo)
    return invalid(Name, Value, "1, True, true, 0, False or false");
  if (!Value.empty())
    To = IsYes;
  return Status::success();
}

/// Reads one of several words. \p Accepted lists them for messages.
template <typename T, size_t N>
static Status readWord(const char *Name, T &To,
                       const std::pair<const char *, T> (&Words)[N],
                       const char *Accepted) {
  std::string Value = variable(Name);
  for (const auto &[Word, Meaning] : Words)
    if (Value == Word) {
      To = Meaning;
      return Status::success();
    }
  return Value.empty() ? Status::success() : invalid(Name, Value, Accepted);
}

static Status readMath(const char *Name, MathMode &To) {
  static constexpr std::pair<const char *, MathMode> Modes[] = {
      {"strict", MathMode::Strict},
      {"relaxed", MathMode::Relaxed},
      {"fast", MathMode::Fast}};
  return readWord(Name, To, Modes, "strict, relaxed or fast");
}

static Status readWhere(const char *Name, GraphTarget &To) {
  static constexpr std::pair<const char *, GraphTarget> Places[] = {
      {"cpu", GraphTarget::Cpu},
      {"hip", GraphTarget::Hip},
      {"cuda", GraphTarget::Cuda}};
  return readWord(Name, To, Places, "cpu, hip or cuda");
}

static Status readReplay(const char *Name, bool &IsOneLaunch) {
  static constexpr std::pair<const char *, bool> Ways[] = {{"launches", false},
                                                           {"graph", true}};
  return readWord(Name, IsOneLaunch, Ways, "launches or graph");
}

static Status readDevice(const char *Name, int &To) {
  std::string Value = variable(Name);
  std::optional<int> Number = parseNumber<int>(Value);
  if (!Value.empty() && (!Number || *Number < 0))
    return invalid(Name, Value, "the number of a GPU, from 0 on");
  To = Number.value_or(To);
  return Status::success();
}

PrepareConfig PrepareConfig::from_env() {
  PrepareConfig How;
  How.target = variable("KPACK_JIT_GRAPH_TARGET");
  for (const Status &Read :
       {readWhere("KPACK_JIT_GRAPH_WHERE", How.where),
        readDevice("KPACK_JIT_GRAPH_DEVICE", How.device),
        readReplay("KPACK_JIT_GRAPH_REPLAY", How.one_launch),
        readMath("KPACK_JIT_GRAPH_MATH", How.math),
        readFlag("KPACK_JIT_GRAPH_FUSE", How.fuse),
        readFlag("KPACK_JIT_GRAPH_STRICT", How.strict),
        readFlag("KPACK_JIT_GRAPH_VERIFY_TRACE", How.verify_trace),
        readFlag("KPACK_JIT_GRAPH_WARM_RUN", How.warm_run),
        readFlag("KPACK_JIT_GRAPH_CHECK_BUFFERS", How.check_buffers)})
    if (How.environment.ok())
      How.environment = Read;
  return How;
}
