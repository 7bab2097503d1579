//===- PrepareConfig.cpp - options of graph preparation -------------------===//
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

/// Keeps \p Flag if the variable is not set.
static Status readFlag(const char *Name, bool &Flag) {
  std::string Value = variable(Name);
  bool IsYes = Value == "1" || Value == "True" || Value == "true";
  bool IsNo = Value == "0" || Value == "False" || Value == "false";
  if (!Value.empty() && !IsYes && !IsNo)
    return invalid(Name, Value, "1, True, true, 0, False or false");
  if (!Value.empty())
    Flag = IsYes;
  return Status::success();
}

/// Reads one of several words. \p Accepted lists them for messages.
template <typename T, size_t N>
static Status readWord(const char *Name, T &Target,
                       const std::pair<const char *, T> (&Choices)[N],
                       const char *Accepted) {
  std::string Value = variable(Name);
  for (const auto &[Word, Meaning] : Choices)
    if (Value == Word) {
      Target = Meaning;
      return Status::success();
    }
  return Value.empty() ? Status::success() : invalid(Name, Value, Accepted);
}

static Status readMath(const char *Name, MathMode &Mode) {
  static constexpr std::pair<const char *, MathMode> Modes[] = {
      {"strict", MathMode::Strict},
      {"relaxed", MathMode::Relaxed},
      {"fast", MathMode::Fast}};
  return readWord(Name, Mode, Modes, "strict, relaxed or fast");
}

static Status readWhere(const char *Name, GraphTarget &Target) {
  static constexpr std::pair<const char *, GraphTarget> Places[] = {
      {"cpu", GraphTarget::Cpu},
      {"hip", GraphTarget::Hip},
      {"cuda", GraphTarget::Cuda}};
  return readWord(Name, Target, Places, "cpu, hip or cuda");
}

static Status readReplay(const char *Name, bool &IsOneLaunch) {
  static constexpr std::pair<const char *, bool> Ways[] = {{"launches", false},
                                                           {"graph", true}};
  return readWord(Name, IsOneLaunch, Ways, "launches or graph");
}

static Status readDevice(const char *Name, int &Device) {
  std::string Value = variable(Name);
  std::optional<int> Parsed = parseNumber<int>(Value);
  if (!Value.empty() && (!Parsed || *Parsed < 0))
    return invalid(Name, Value, "the number of a GPU, from 0 on");
  Device = Parsed.value_or(Device);
  return Status::success();
}

PrepareConfig PrepareConfig::from_env() {
  PrepareConfig Config;
  Config.target = variable("KPACK_JIT_GRAPH_TARGET");
  for (const Status &Read :
       {readWhere("KPACK_JIT_GRAPH_WHERE", Config.where),
        readDevice("KPACK_JIT_GRAPH_DEVICE", Config.device),
        readReplay("KPACK_JIT_GRAPH_REPLAY", Config.one_launch),
        readMath("KPACK_JIT_GRAPH_MATH", Config.math),
        readFlag("KPACK_JIT_GRAPH_FUSE", Config.fuse),
        readFlag("KPACK_JIT_GRAPH_STRICT", Config.strict),
        readFlag("KPACK_JIT_GRAPH_VERIFY_TRACE", Config.verify_trace),
        readFlag("KPACK_JIT_GRAPH_WARM_RUN", Config.warm_run),
        readFlag("KPACK_JIT_GRAPH_CHECK_BUFFERS", Config.check_buffers)})
    if (Config.environment.ok())
      Config.environment = Read;
  return Config;
}
