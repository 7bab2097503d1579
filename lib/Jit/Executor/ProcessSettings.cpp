//===- ProcessSettings.cpp - the environment of a process's cache ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ProcessSettings.h"

#include "kpack/Support/Numbers.h"
#include "kpack/Support/SecureMode.h"
#include "kpack/Support/Texts.h"

using namespace kpack;
using namespace kpack::jit;

static Status invalid(const char *Name, const std::string &Value,
                      const char *Accepted) {
  return Status(StatusCode::InvalidArgument,
                std::string(Name) + "=" + Value + ": is not " + Accepted);
}

/// \p To stays as it is where the variable is not set.
static Status readNumber(const char *Name, uint64_t &To) {
  std::string Value = variable(Name);
  if (Value.empty())
    return Status::success();
  std::optional<uint64_t> Number = parseNumber<uint64_t>(Value);
  if (!Number)
    return invalid(Name, Value, "a number");
  To = *Number;
  return Status::success();
}

static Status readFlag(const char *Name, bool &To) {
  std::string Value = variable(Name);
  for (const char *Yes : {"1", "True", "true"})
    if (Value == Yes) {
      To = true;
      return Status::success();
    }
  for (const char *No : {"", "0", "False", "false"})
    if (Value == No)
      return Status::success();
  return invalid(Name, Value, "1, True, true, 0, False or false");
}

static Status readMode(const char *Name, CacheMode &To) {
  static constexpr std::pair<const char *, CacheMode> Modes[] = {
      {"", CacheMode::ReadWrite},
      {"rw", CacheMode::ReadWrite},
      {"ro", CacheMode::ReadOnly},
      {"off", CacheMode::Off},
      {"strict", CacheMode::Strict}};
  std::string Value = variable(Name);
  for (const auto &[Word, Mode] : Modes)
    if (Value == Word) {
      To = Mode;
      return Status::success();
    }
  return invalid(Name, Value, "rw, ro, off or strict");
}

/// Empty: there is no place for one.
static Result<std::string> directory() {
  std::string Named = variable("KPACK_JIT_CACHE_DIR");
  if (!Named.empty() && Named[0] != '/')
    return invalid("KPACK_JIT_CACHE_DIR", Named, "an absolute path");
  if (!Named.empty())
    return Named;
  std::string Home = variable("XDG_CACHE_HOME");
  // The specification has relative ones ignored.
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
        readMode("KPACK_JIT_MODE", S.Cache.Mode)})
    if (!Read.ok())
      return Read;
  std::string Verbose = variable("KPACK_JIT_VERBOSE");
  S.Verbose = !Verbose.empty() && Verbose != "0";
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
