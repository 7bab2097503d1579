//===- FileSet.cpp - files by content, looked at cheaply ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FileSet.h.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/FileSet.h"

#include "Message.h"

#include <sys/stat.h>
#include <time.h>

using namespace kpack;
using namespace kpack::jit;

/// Seconds within which two writes may leave the same time: coarse file
/// systems have steps of up to two.
static constexpr int64_t TimeResolution = 2;

/// Empty: there is no such file. \p Latest becomes the later of its times.
static std::string stampOf(const std::string &Path, int64_t &Latest) {
  struct stat Info;
  if (::stat(Path.c_str(), &Info) != 0)
    return {};
  Latest = std::max<int64_t>(Info.st_mtim.tv_sec, Info.st_ctim.tv_sec);
  const uint64_t Values[] = {
      uint64_t(Info.st_dev),          uint64_t(Info.st_ino),
      uint64_t(Info.st_size),         uint64_t(Info.st_mtim.tv_sec),
      uint64_t(Info.st_mtim.tv_nsec), uint64_t(Info.st_ctim.tv_sec),
      uint64_t(Info.st_ctim.tv_nsec)};
  return std::string(reinterpret_cast<const char *>(Values), sizeof(Values));
}

static Result<FileRecord> recordOf(const std::string &Path, bool Linked) {
  FileRecord Record;
  Record.Path = Path;
  Record.Linked = Linked;
  int64_t Latest = 0, Ignored;
  Record.Stamp = stampOf(Path, Latest);
  Result<Digest> Content = sha256OfFile(Path);
  if (!Content)
    return Content.status();
  Record.Hash = *Content;
  // A time from the future is from another clock: it says nothing.
  if (Latest + TimeResolution >= int64_t(::time(nullptr)) ||
      stampOf(Path, Ignored) != Record.Stamp)
    Record.Stamp.clear();
  return Record;
}

Result<FileSet> FileSet::of(const std::vector<std::string> &Paths,
                            const std::vector<std::string> &Linked) {
  FileSet Set;
  for (bool IsLinked : {false, true})
    for (const std::string &Path : IsLinked ? Linked : Paths) {
      Result<FileRecord> Record = recordOf(Path, IsLinked);
      if (!Record)
        return Record.status();
      Set.Files.push_back(std::move(*Record));
    }
  return Set;
}

bool FileSet::unchanged() const {
  for (const FileRecord &Record : Files) {
    int64_t Ignored;
    if (!Record.Stamp.empty() && stampOf(Record.Path, Ignored) == Record.Stamp)
      continue;
    Result<Digest> Content = sha256OfFile(Record.Path);
    if (!Content || *Content != Record.Hash)
      return false;
  }
  return true;
}

std::string FileSet::encode() const {
  Message M;
  M.add("note", Note);
  for (const FileRecord &Record : Files)
    M.add(Record.Linked ? "linked" : "file", Record.Path)
        .add("stamp", Record.Stamp)
        .add("sha256", toHex(Record.Hash));
  return M.encode();
}

std::optional<FileSet> FileSet::decode(std::string_view Bytes) {
  const std::optional<Message> M = Message::decode(Bytes);
  if (!M)
    return std::nullopt;
  FileSet Set;
  Set.Note = M->get("note");
  for (const auto &[Name, Value] : M->fields()) {
    if (Name == "file" || Name == "linked") {
      Set.Files.push_back({Value, Name == "linked", {}, {}});
      continue;
    }
    if (Name == "note")
      continue;
    if (Set.Files.empty())
      return std::nullopt;
    FileRecord &Record = Set.Files.back();
    if (Name == "stamp")
      Record.Stamp = Value;
    else if (Name != "sha256" || !fromHex(Value, Record.Hash))
      return std::nullopt;
  }
  return Set;
}
