//===- Recording.cpp - recorded compile requests of a run -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One write appends a request, so that those of several processes do not mix.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/CApi/Recording.h"

#include "Jit/Executor/Programs/ProgramCache.h"
#include "Jit/Service/CompileProtocol.h"
#include "Support/ErrorText.h"
#include "Support/Files.h"
#include "Support/Numbers.h"
#include "Support/SafePath.h"

#include <cerrno>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

/// Maximum size of a recording in bytes.
static constexpr uint64_t MaxRecording = uint64_t(256) << 20;

Status jit::record(const std::string &Path, const CompileRequest &Request) {
  std::string Bytes = encodeRequest(Request, "").encode();
  Bytes.insert(0, std::to_string(Bytes.size()) + "\n");
  UniqueFd File = openFileToWrite(Path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (File &&
      ::write(File.get(), Bytes.data(), Bytes.size()) == ssize_t(Bytes.size()))
    return Status::success();
  return Status(StatusCode::IoError,
                Path + ": what is compiled cannot be recorded: " +
                    errorText(errno, "set KPACK_JIT_RECORD to a place that "
                                     "can be written"));
}

static Result<std::string> contentOfOwn(const std::string &Path) {
  UniqueFd File(
      ::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat Info;
  if (!File || ::fstat(File.get(), &Info) != 0)
    return Status(StatusCode::FileNotFound,
                  Path + ": cannot be read: " +
                      errorText(errno, "record it with KPACK_JIT_RECORD"));
  if (!S_ISREG(Info.st_mode) || (Info.st_mode & (S_IWGRP | S_IWOTH)) ||
      (Info.st_uid != ::geteuid() && Info.st_uid != 0))
    return Status(StatusCode::InvalidArgument,
                  Path + ": others may write to it, and so choose what is run; "
                         "chmod go-w it");
  std::optional<std::string> Bytes = readToEnd(File.get(), MaxRecording);
  if (!Bytes)
    return Status(StatusCode::IoError, Path + ": cannot be read; try again");
  return std::move(*Bytes);
}

Result<std::vector<CompileRequest>> jit::recordedIn(const std::string &Path) {
  Result<std::string> Bytes = contentOfOwn(Path);
  if (!Bytes)
    return Bytes.status();
  std::vector<CompileRequest> All;
  std::set<Digest> Seen;
  for (std::string_view Left = *Bytes; !Left.empty();) {
    size_t Line = std::min(Left.find('\n'), Left.size());
    std::optional<uint64_t> Size =
        parseNumber<uint64_t>(std::string(Left.substr(0, Line)));
    Left.remove_prefix(std::min(Line + 1, Left.size()));
    std::optional<Message> Question;
    if (Size && *Size <= Left.size())
      Question = Message::decode(Left.substr(0, *Size));
    if (!Question)
      return Status(StatusCode::InvalidFormat,
                    Path + ": is no recording, or a damaged one; record it "
                           "again");
    Left.remove_prefix(*Size);
    CompileRequest Request = decodeRequest(*Question);
    if (Seen.insert(getDigest(Request)).second)
      All.push_back(std::move(Request));
  }
  return All;
}
