//===- Record.cpp - a line of the build's manifest ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The JSON is written by hand, because this program does without LLVM. Text
// that is not UTF-8 is refused here, where the message can name the source; the
// reader (Build/Records.cpp) would only find a line that is no JSON. Control
// characters are escaped, so a record is one line whatever a path has in it,
// and has no zero byte, on which the reader of stubs (Stub.cpp) relies.
//
// The folder is made only after opening the file has failed, since this runs
// thousands of times in a build. A short write means a full disk: it is cut off
// again while the lock is held, so that nobody can have written behind it.
//
//===----------------------------------------------------------------------===//
#include "kpack/CkJit/Intercept/Record.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Bytes of the character at the start of \p Text; 0: not UTF-8.
static size_t utf8Length(std::string_view Text) {
  auto At = [&](size_t I) {
    return I < Text.size() ? static_cast<unsigned char>(Text[I]) : 0u;
  };
  unsigned C = At(0);
  size_t Length = C < 0x80   ? 1
                  : C < 0xC2 ? 0
                  : C < 0xE0 ? 2
                  : C < 0xF0 ? 3
                  : C < 0xF5 ? 4
                             : 0;
  for (size_t I = 1; I < Length; ++I)
    if ((At(I) & 0xC0) != 0x80)
      return 0;
  // Longer than needed, a half of a pair, behind the last character.
  if ((C == 0xE0 && At(1) < 0xA0) || (C == 0xED && At(1) > 0x9F) ||
      (C == 0xF0 && At(1) < 0x90) || (C == 0xF4 && At(1) > 0x8F))
    return 0;
  return Length;
}

static bool appendString(std::string &To, std::string_view Text) {
  static constexpr char Digits[] = "0123456789abcdef";
  To += '"';
  while (!Text.empty()) {
    size_t Length = utf8Length(Text);
    if (Length == 0)
      return false;
    unsigned char C = static_cast<unsigned char>(Text[0]);
    if (C == '"' || C == '\\')
      (To += '\\') += char(C);
    else if (C < 0x20)
      (((To += "\\u00") += Digits[C >> 4]) += Digits[C & 15]);
    else
      To += Text.substr(0, Length);
    Text.remove_prefix(Length);
  }
  To += '"';
  return true;
}

Result<std::string> ckjit::recordLine(const InterceptedSource &Source,
                                      const std::string &Directory,
                                      const std::vector<std::string> &Words,
                                      const std::string &Compiler) {
  std::string Line = "{";
  bool Good = true;
  auto Add = [&](const char *Name, const std::string &Value) {
    if (Line.size() > 1)
      Line += ",";
    ((Line += '"') += Name) += "\":";
    Good &= appendString(Line, Value);
  };
  Add("source", Source.Source);
  Add("output", Source.Output);
  Add("cwd", Directory);
  Add("kind", Source.IsDispatcher ? "dispatcher" : "blob");
  Add("api_kind", Source.ApiKind);
  Add("module", Source.Module);
  Add("compiler", Compiler);
  Line += ",\"argv\":[";
  for (size_t I = 0; I != Words.size(); ++I) {
    Line += I ? "," : "";
    Good &= appendString(Line, Words[I]);
  }
  Line += "]}\n";
  if (!Good)
    return Status(StatusCode::InvalidArgument,
                  Source.Source + ": its command line or folder is not UTF-8, "
                                  "which a manifest has to be; rename it");
  return Line;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// The file in \p Folder, which a build need not have made.
static int openRecords(const std::string &Folder, const std::string &File) {
  constexpr int How = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  int Fd = ::open(File.c_str(), How, 0666);
  if (Fd >= 0 || errno != ENOENT)
    return Fd;
  for (size_t Slash = 0; Slash != std::string::npos;) {
    Slash = Folder.find('/', Slash + 1);
    // What cannot be made cannot be opened either.
    ::mkdir(Folder.substr(0, Slash).c_str(), 0777);
  }
  return ::open(File.c_str(), How, 0666);
}

Status ckjit::appendRecord(const std::string &Folder, const std::string &Line) {
  std::string File = Folder + "/" + RecordFileName;
  auto Failed = [&File](const char *What) {
    return Status(StatusCode::IoError,
                  File + ": " + What + ": " + std::strerror(errno) +
                      "; make it writable, or name another folder with "
                      "CK_JIT_BUILD_DIR");
  };
  int Fd = openRecords(Folder, File);
  if (Fd < 0)
    return Failed("cannot be opened");
  int Locked;
  do
    Locked = ::flock(Fd, LOCK_EX);
  while (Locked != 0 && errno == EINTR);
  struct stat Before;
  Status Result;
  if (Locked != 0 || ::fstat(Fd, &Before) != 0) {
    Result = Failed("cannot be locked");
  } else {
    ssize_t Written = ::write(Fd, Line.data(), Line.size());
    if (Written != static_cast<ssize_t>(Line.size())) {
      if (Written >= 0)
        errno = ENOSPC; // what a short write to a file means
      Result = Failed("cannot be written");
      // Half a line would spoil the next one. If even that fails, the reader
      // says which line is no JSON.
      if (Written > 0 && ::ftruncate(Fd, Before.st_size) != 0)
        Result = Failed("has half a line at its end");
    }
  }
  ::close(Fd);
  return Result;
}
