//===- ProgramBytes.cpp - serialized programs -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For callers that store programs elsewhere. The bytes are those of an entry,
// so that one reader checks them, whatever their source. Host code is read
// again from its file: keeping each program twice in memory would cost too much
// for the few that are serialized.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Programs/Program.h"

#include "Jit/Executor/Cache/CacheLayers.h"

#include "Jit/Service/HostProcessor.h"
#include "Support/Files.h"

using namespace kpack;
using namespace kpack::jit;

static Result<std::string> makeEntry(const EntryInfo &Info,
                                     const std::string &Payload) {
  Result<std::string> Tail = encodeEntryTail(Info, Payload);
  return Tail ? Result<std::string>(Payload + *Tail) : Tail;
}

Result<std::string> Program::serialize() const {
  if (!Image.empty())
    return makeEntry(Info, Image);
  if (Path.empty())
    return makeEntry(Info, InMemory);
  Result<std::string> Bytes = readFile(Path);
  Result<DecodedEntry> Entry =
      Bytes ? decodeEntry(*Bytes) : Result<DecodedEntry>(Bytes.status());
  // Another program may have this path by now, but not this key.
  if (!Entry || Entry->Info.Key.Id != Info.Key.Id)
    return Status(StatusCode::FileNotFound,
                  Info.Name + ": the cache's file of it is gone; compile it "
                              "again",
                  Errc::CacheUnusable);
  return Bytes;
}

static Status checkMachine(const EntryInfo &Info) {
  if (Info.Machine.empty() || Info.Machine == toHex(sha256(hostProcessor())))
    return Status::success();
  return Status(StatusCode::InvalidFormat,
                Info.Name + ": is compiled for the processor of another "
                            "machine; compile it here, or with a target that "
                            "both have",
                Errc::WrongIsa);
}

Result<ProgramRef> Program::deserialize(std::string_view Bytes) {
  Result<DecodedEntry> Read = decodeEntry(Bytes);
  if (!Read)
    return Status(Read.status().code(),
                  "program: " + Read.status().message() +
                      "; take what serialize() has given",
                  Errc::LoadFailed);
  const EntryInfo &Info = Read->Info;
  if (Info.Functions.empty() ||
      (Info.Kind != "shared-object" && Info.Kind != "code-object" &&
       Info.Kind != "ptx"))
    return Status(StatusCode::InvalidFormat,
                  Info.Name + ": is no program with functions; take what "
                              "serialize() has given",
                  Errc::LoadFailed);
  if (Status Checked = checkMachine(Info); !Checked.ok())
    return Checked;
  Result<StoredEntry> Entry = entryInMemory(Info, Read->Payload);
  return Entry ? load(std::move(*Entry)) : Result<ProgramRef>(Entry.status());
}
