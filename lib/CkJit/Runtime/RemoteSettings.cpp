//===- RemoteSettings.cpp - settings of a remote cache --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/reference/ck-jit-runtime.md lists the variables.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Runtime/RemoteSettings.h"

#include "CkJit/Runtime/Settings.h"
#include "Support/Numbers.h"
#include "Support/Texts.h"

using namespace kpack;
using namespace kpack::ckjit;

static void readSeconds(const char *Name, double &Seconds) {
  std::string Text = variable(Name);
  if (Text.empty())
    return;
  if (std::optional<double> Value = parseNumber<double>(Text))
    Seconds = *Value;
  else
    std::fprintf(stderr,
                 "ck-jit: warning: %s=%s: no number of seconds; %g is used\n",
                 Name, Text.c_str(), Seconds);
}

static jit::RemoteMode readMode() {
  std::string Text = variable("CK_JIT_REMOTE_MODE");
  if (Text.empty() || Text == "readwrite")
    return jit::RemoteMode::ReadWrite;
  if (Text == "sync")
    return jit::RemoteMode::Sync;
  if (Text != "read")
    std::fprintf(stderr,
                 "ck-jit: warning: CK_JIT_REMOTE_MODE=%s: not read, readwrite "
                 "or sync; read is used\n",
                 Text.c_str());
  return jit::RemoteMode::Read;
}

jit::RemoteOptions ckjit::remoteFromEnvironment() {
  jit::RemoteOptions Options;
  Options.Url = variable("CK_JIT_REMOTE");
  if (Options.Url.empty())
    return Options;
  Options.Mode = readMode();
  readSeconds("CK_JIT_REMOTE_TIMEOUT", Options.Timeout);
  readSeconds("CK_JIT_REMOTE_TOTAL_TIMEOUT", Options.Total);
  readSeconds("CK_JIT_REMOTE_PAUSE", Options.Pause);
  Options.KeyFile = variable("CK_JIT_REMOTE_KEY_FILE");
  Options.AuthFile = variable("CK_JIT_REMOTE_AUTH_FILE");
  Options.CaFile = variable("CK_JIT_REMOTE_CA_FILE");
  std::string Insecure = variable("CK_JIT_REMOTE_INSECURE");
  Options.Insecure = !Insecure.empty() && Insecure != "0";
  Options.Helper = variable("CK_JIT_REMOTE_HELPER");
  if (Options.Helper.empty())
    Options.Helper = programBesideUs("kpack-jit-remote");
  return Options;
}

Result<std::shared_ptr<jit::RemoteTier>>
ckjit::openRemote(jit::RemoteOptions Options,
                  const std::string &CacheDirectory) {
  if (Options.Url.empty())
    return std::shared_ptr<jit::RemoteTier>();
  Options.Directory = CacheDirectory;
  return jit::RemoteTier::open(std::move(Options));
}
