//===- BinaryPath.cpp - file mapped at an address -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line of /proc/self/maps:
//
//   <begin>-<end> <perms> <offset> <major>:<minor> <inode>   <name>
//
// Numbers are hexadecimal except the inode; the name is padded with spaces.
//
//===----------------------------------------------------------------------===//
#include "Runtime/BinaryPath.h"

#include "kpack/Support/UniqueFd.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::runtime;

static constexpr std::string_view DeletedSuffix = " (deleted)";

namespace {

/// Takes fields off the front of a line.
struct Cursor {
  std::string_view Rest;
  bool Good = true;

  uint64_t number(int Base) {
    uint64_t Value = 0;
    auto [End, Error] =
        std::from_chars(Rest.data(), Rest.data() + Rest.size(), Value, Base);
    Good = Good && Error == std::errc();
    Rest.remove_prefix(End - Rest.data());
    return Value;
  }

  void skip(char C) {
    Good = Good && !Rest.empty() && Rest.front() == C;
    if (Good)
      Rest.remove_prefix(1);
  }

  void skipWord() { Rest.remove_prefix(std::min(Rest.find(' '), Rest.size())); }
};

} // namespace

std::optional<MapsLine> runtime::parseMapsLine(std::string_view Line) {
  MapsLine M;
  Cursor C{Line};
  M.Begin = C.number(16);
  C.skip('-');
  M.End = C.number(16);
  C.skip(' ');
  C.skipWord(); // permissions
  C.skip(' ');
  M.FileOffset = C.number(16);
  C.skip(' ');
  uint64_t Major = C.number(16);
  C.skip(':');
  uint64_t Minor = C.number(16);
  M.Device = makedev(Major, Minor);
  C.skip(' ');
  M.Inode = C.number(10);
  if (!C.Good)
    return std::nullopt;
  C.Rest.remove_prefix(std::min(C.Rest.find_first_not_of(' '), C.Rest.size()));
  M.Name = C.Rest;
  return M;
}

/// The kernel writes a newline as \012 but leaves a backslash alone.
static std::string withNewlines(std::string_view Name) {
  constexpr std::string_view Escape = "\\012";
  std::string Out;
  for (size_t I = 0; I < Name.size();) {
    bool IsEscape = Name.substr(I, Escape.size()) == Escape;
    Out += IsEscape ? '\n' : Name[I];
    I += IsEscape ? Escape.size() : 1;
  }
  return Out;
}

static bool exists(const std::string &Path) {
  struct stat Info;
  return lstat(Path.c_str(), &Info) == 0;
}

/// Compares the inode only: the device number in the line can be that of a
/// subvolume.
static bool namesFile(const MapsLine &Line, const std::string &Path) {
  struct stat Info;
  return lstat(Path.c_str(), &Info) == 0 && Info.st_ino == Line.Inode;
}

std::string runtime::mapsLinePath(const MapsLine &Line) {
  std::string Literal(Line.Name);
  if (namesFile(Line, Literal))
    return Literal;
  std::string Path = withNewlines(Literal);
  if (exists(Path) || Path.size() <= DeletedSuffix.size())
    return Path;
  // Names of memory files (/memfd:) always have the suffix; without it there is
  // no path.
  size_t Stem = Path.size() - DeletedSuffix.size();
  if (Path.compare(Stem, Path.npos, DeletedSuffix) == 0 &&
      Path.compare(0, 7, "/memfd:") != 0)
    Path.resize(Stem);
  return Path;
}

std::optional<MapsLine> runtime::findMapsLine(int Maps, const void *Address,
                                              char *Buffer, size_t Size) {
  auto Wanted = reinterpret_cast<uintptr_t>(Address);
  for (size_t Filled = 0;;) {
    ssize_t Got = ::read(Maps, Buffer + Filled, Size - Filled);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got <= 0)
      return std::nullopt;
    Filled += Got;
    std::string_view Rest(Buffer, Filled);
    for (size_t End; (End = Rest.find('\n')) != Rest.npos;
         Rest.remove_prefix(End + 1)) {
      std::optional<MapsLine> Line = parseMapsLine(Rest.substr(0, End));
      if (Line && Wanted >= Line->Begin && Wanted < Line->End)
        return Line;
    }
    Filled = Rest.size();
    std::memmove(Buffer, Rest.data(), Filled);
  }
}

Result<FilePlace> runtime::findBinary(const void *Address) {
  auto Failure = [](const char *Why) {
    return Status(StatusCode::PathDiscoveryFailed,
                  std::string("/proc/self/maps: ") + Why);
  };

  UniqueFd Maps(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  if (!Maps)
    return Failure(std::strerror(errno));
  // The kernel returns whole lines as long as they fit. No line is longer than
  // this buffer: the name has at most PATH_MAX bytes, four each when escaped.
  std::string Buffer(32 * 1024, '\0');
  std::optional<MapsLine> Line =
      findMapsLine(Maps.get(), Address, Buffer.data(), Buffer.size());
  if (!Line)
    return Failure("the address is not mapped");
  if (Line->Name.empty() || Line->Name.front() != '/')
    return Failure("the address is not in a mapped file");
  auto Place = reinterpret_cast<uintptr_t>(Address);
  return FilePlace{mapsLinePath(*Line),
                   Line->FileOffset + (Place - Line->Begin)};
}
