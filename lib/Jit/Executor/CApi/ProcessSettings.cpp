//===- ProcessSettings.cpp - KPACK_JIT_ variables of a process ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/CApi/ProcessSettings.h"

#include "Jit/Executor/Programs/ProgramSource.h"
#include "Support/Numbers.h"
#include "Support/SecureMode.h"
#include "Support/Texts.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

using namespace kpack;
using namespace kpack::jit;

static Status invalid(const char *Name, const std::string &Value,
                      const char *Accepted) {
  return Status(StatusCode::InvalidArgument,
                std::string(Name) + "=" + Value + ": is not " + Accepted);
}

/// Leaves \p Target unchanged if the variable is not set.
static Status readNumber(const char *Name, uint64_t &Target) {
  std::string Value = variable(Name);
  if (Value.empty())
    return Status::success();
  std::optional<uint64_t> Parsed = parseNumber<uint64_t>(Value);
  if (!Parsed)
    return invalid(Name, Value, "a number");
  Target = *Parsed;
  return Status::success();
}

static Status readFlag(const char *Name, bool &Flag) {
  std::string Value = variable(Name);
  for (const char *Yes : {"1", "True", "true"})
    if (Value == Yes) {
      Flag = true;
      return Status::success();
    }
  for (const char *No : {"", "0", "False", "false"})
    if (Value == No)
      return Status::success();
  return invalid(Name, Value, "1, True, true, 0, False or false");
}

static Status readMode(const char *Name, CacheMode &Target) {
  static constexpr std::pair<const char *, CacheMode> Modes[] = {
      {"", CacheMode::ReadWrite},
      {"rw", CacheMode::ReadWrite},
      {"ro", CacheMode::ReadOnly},
      {"off", CacheMode::Off},
      {"strict", CacheMode::Strict}};
  std::string Value = variable(Name);
  for (const auto &[Word, Mode] : Modes)
    if (Value == Word) {
      Target = Mode;
      return Status::success();
    }
  return invalid(Name, Value, "rw, ro, off or strict");
}

/// Reads a number of seconds, which may have a fraction.
static Status readSeconds(const char *Name, double &Target) {
  std::string Value = variable(Name);
  if (Value.empty())
    return Status::success();
  char *End = nullptr;
  double Seconds = std::strtod(Value.c_str(), &End);
  // !(Seconds >= 0) also rejects NaN.
  if (!std::isdigit((unsigned char)Value[0]) || *End || !(Seconds >= 0) ||
      Seconds > 1e6)
    return invalid(Name, Value, "a number of seconds up to 1000000");
  Target = Seconds;
  return Status::success();
}

static Status readJobs(const char *Name, unsigned &Jobs) {
  uint64_t Count = 0;
  if (Status Read = readNumber(Name, Count); !Read.ok())
    return Read;
  constexpr uint64_t Most = 4096;
  if (Count > Most)
    return invalid(Name, std::to_string(Count), "a number up to 4096");
  Jobs = unsigned(Count);
  return Status::success();
}

static Status readDumps(DumpOptions &Options) {
  std::pair<const char *, bool *> Kinds[] = {{"source", &Options.Source},
                                             {"ir", &Options.Ir},
                                             {"asm", &Options.Assembly},
                                             {"object", &Options.Object},
                                             {"command", &Options.Command}};
  std::string Value = variable("KPACK_JIT_KEEP");
  for (const std::string &Word : splitAt(Value, ',')) {
    bool IsKnown = false;
    for (const auto &[Name, IsWanted] : Kinds)
      if (Word == Name)
        *IsWanted = IsKnown = true;
    if (!IsKnown)
      return invalid("KPACK_JIT_KEEP", Value,
                     "a list of source, ir, asm, object and command");
  }
  Options.Folder = variable("KPACK_JIT_DUMP_DIR");
  if (Options.Folder.empty() && Options.isOn())
    return Status(StatusCode::InvalidArgument,
                  "KPACK_JIT_KEEP=" + Value +
                      ": needs a folder; set KPACK_JIT_DUMP_DIR");
  if (!Options.Folder.empty() && Options.Folder[0] != '/')
    return invalid("KPACK_JIT_DUMP_DIR", Options.Folder, "an absolute path");
  return Status::success();
}

/// Returns the cache directory, or empty if there is no place for one.
static Result<std::string> directory() {
  std::string Named = variable("KPACK_JIT_CACHE_DIR");
  if (!Named.empty() && Named[0] != '/')
    return invalid("KPACK_JIT_CACHE_DIR", Named, "an absolute path");
  if (!Named.empty())
    return Named;
  std::string Home = variable("XDG_CACHE_HOME");
  // The XDG specification requires that relative paths are ignored.
  if (Home.empty() || Home[0] != '/')
    Home = variable("HOME").empty() ? "" : variable("HOME") + "/.cache";
  return Home.empty() ? Home : Home + "/kpack/jit";
}

Result<ProcessSettings> ProcessSettings::fromEnvironment() {
  ProcessSettings S;
  S.Cache.Limits.Bytes = uint64_t(2) << 30;
  S.Cache.Limits.Entries = 1000;
  bool WithoutFiles = false;
  for (const Status &Read :
       {readNumber("KPACK_JIT_CACHE_MAX_BYTES", S.Cache.Limits.Bytes),
        readNumber("KPACK_JIT_FILE_CACHING_CAPACITY", S.Cache.Limits.Entries),
        readNumber("KPACK_JIT_MEMORY_CAPACITY", S.Programs),
        readFlag("KPACK_JIT_DISABLE_FILE_CACHING", WithoutFiles),
        readFlag("KPACK_JIT_EXPLAIN", S.Cache.Explains),
        readFlag("KPACK_JIT_DRY_RUN", S.DryRun),
        readSeconds("KPACK_JIT_TIMEOUT", S.Limits.Seconds),
        readJobs("KPACK_JIT_JOBS", S.Limits.Jobs), readDumps(S.Dumps),
        checkTargets(), readMode("KPACK_JIT_MODE", S.Cache.Mode)})
    if (!Read.ok())
      return Read;
  // A stopped process keeps its locks, so limit the wait for them, too.
  if (S.Limits.Seconds > 0)
    S.Cache.MaxWait = std::min(S.Cache.MaxWait, S.Limits.Seconds);
  std::string Verbose = variable("KPACK_JIT_VERBOSE");
  S.Verbose = !Verbose.empty() && Verbose != "0";
  S.Recording = variable("KPACK_JIT_RECORD");
  if (!S.Recording.empty() && S.Recording[0] != '/')
    return invalid("KPACK_JIT_RECORD", S.Recording, "an absolute path");
  Result<std::string> Directory = directory();
  if (!Directory)
    return Directory.status();
  S.Cache.Directory = std::move(*Directory);
  S.Cache.SystemDirectories = splitAt(variable("KPACK_JIT_SYSTEM_CACHE"), ':');
  if (isSecureMode())
    S.Cache.Mode = CacheMode::Strict;
  else if (WithoutFiles || S.Cache.Limits.Entries == 0)
    S.Cache.Mode = CacheMode::Off;
  return S;
}
