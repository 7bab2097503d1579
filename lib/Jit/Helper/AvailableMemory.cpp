//===- AvailableMemory.cpp - memory available to compiles -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// /proc/self/cgroup names our group, /proc/self/mountinfo the mount point of
// its files. Version 2 has one hierarchy, named "0::"; in version 1 the one
// with the controller "memory" counts. If a machine has both mounted, both
// count.
//
//===----------------------------------------------------------------------===//
#include "AvailableMemory.h"

#include "Support/Files.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

using namespace kpack;
using namespace kpack::jit;

namespace {

constexpr uint64_t Unknown = ~uint64_t(0);
/// The file names of a version, and the line of memory.stat that includes all
/// groups below.
struct Names {
  const char *Limit, *Used, *Inactive;
};
constexpr Names Version1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                            "total_inactive_file "};
constexpr Names Version2 = {"/memory.max", "/memory.current", "inactive_file "};

/// A mount of a hierarchy: \p Point shows the groups below \p Top.
struct Mount {
  std::string Point, Top;
};

} // namespace

static uint64_t numberIn(std::string_view Text) {
  size_t Digit = Text.find_first_not_of(" \t");
  // "max" means that there is no limit.
  return Digit != std::string_view::npos && Text[Digit] >= '0' &&
                 Text[Digit] <= '9'
             ? std::strtoull(std::string(Text.substr(Digit, 20)).c_str(),
                             nullptr, 10)
             : Unknown;
}

/// Returns the number in the line that starts with \p Name.
static uint64_t getNumber(const std::string &Text, const std::string &Name) {
  for (size_t Offset = Text.find(Name); Offset != std::string::npos;
       Offset = Text.find(Name, Offset + 1))
    if (Offset == 0 || Text[Offset - 1] == '\n')
      return numberIn(std::string_view(Text).substr(Offset + Name.size()));
  return Unknown;
}

static std::vector<std::string> split(const std::string &Text, char By) {
  std::vector<std::string> Parts;
  std::istringstream In(Text);
  for (std::string Part; std::getline(In, Part, By);)
    Parts.push_back(Part);
  return Parts;
}

/// Decodes the escapes of mountinfo: a blank is "\040".
static std::string unescaped(const std::string &Text) {
  std::string Plain;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] != '\\' || I + 3 >= Text.size()) {
      Plain += Text[I];
      continue;
    }
    Plain += static_cast<char>(
        std::strtoul(Text.substr(I + 1, 3).c_str(), nullptr, 8));
    I += 3;
  }
  return Plain;
}

static bool has(const std::vector<std::string> &Arguments, const char *Word) {
  return std::find(Arguments.begin(), Arguments.end(), Word) != Arguments.end();
}

/// Finds the mounts of the hierarchy. A line has: id, parent, device, top,
/// point, options, optional fields, "-", type, source, options of the type.
static std::vector<Mount> findMounts(const std::string &Table,
                                     bool IsVersion2) {
  std::vector<Mount> Found;
  for (const std::string &Line : split(Table, '\n')) {
    size_t Dash = Line.find(" - ");
    if (Dash == std::string::npos)
      continue;
    std::vector<std::string> Front = split(Line.substr(0, Dash), ' '),
                             Back = split(Line.substr(Dash + 3), ' ');
    if (Front.size() < 6 || Back.size() < 3 ||
        (IsVersion2
             ? Back[0] != "cgroup2"
             : Back[0] != "cgroup" || !has(split(Back[2], ','), "memory")))
      continue;
    Found.push_back({unescaped(Front[4]), unescaped(Front[3])});
  }
  return Found;
}

/// Returns the bytes that the group with these files has left.
static uint64_t leftIn(const std::string &Folder, const Names &Files) {
  uint64_t Limit = numberIn(readContent(Folder + Files.Limit)),
           Used = numberIn(readContent(Folder + Files.Used));
  if (Limit == Unknown || Used == Unknown)
    return Unknown;
  uint64_t Inactive =
      getNumber(readContent(Folder + "/memory.stat"), Files.Inactive);
  uint64_t Held = Inactive == Unknown ? Used : Used - std::min(Used, Inactive);
  return Limit - std::min(Limit, Held);
}

/// Returns the minimum over \p Group and all enclosing groups that the mount
/// shows.
static uint64_t leftAround(const std::string &Root, const Mount &M,
                           const std::string &Group, const Names &Files) {
  // A container may show its group as the top, or name a path outside.
  std::string Below = Group;
  if (M.Top != "/")
    Below = Group.compare(0, M.Top.size(), M.Top) == 0 &&
                    (Group.size() == M.Top.size() || Group[M.Top.size()] == '/')
                ? Group.substr(M.Top.size())
                : "";
  if (Below.find("..") != std::string::npos)
    Below.clear(); // outside of our namespace
  uint64_t Least = Unknown;
  while (true) {
    while (!Below.empty() && Below.back() == '/')
      Below.pop_back();
    Least = std::min(Least, leftIn(Root + M.Point + Below, Files));
    if (Below.empty())
      return Least;
    Below.resize(Below.rfind('/') == std::string::npos ? 0 : Below.rfind('/'));
  }
}

uint64_t jit::availableMemory(const std::string &Root) {
  uint64_t Available =
      getNumber(readContent(Root + "/proc/meminfo"), "MemAvailable:");
  if (Available != Unknown)
    Available *= 1024;
  std::string Table = readContent(Root + "/proc/self/mountinfo");
  for (const std::string &Line :
       split(readContent(Root + "/proc/self/cgroup"), '\n')) {
    // "4:cpu,memory:/group"
    size_t First = Line.find(':'), Second = Line.find(':', First + 1);
    if (First == std::string::npos || Second == std::string::npos)
      continue;
    std::string Controllers = Line.substr(First + 1, Second - First - 1);
    bool IsVersion2 = Controllers.empty();
    if (!IsVersion2 && !has(split(Controllers, ','), "memory"))
      continue;
    for (const Mount &M : findMounts(Table, IsVersion2))
      Available =
          std::min(Available, leftAround(Root, M, Line.substr(Second + 1),
                                         IsVersion2 ? Version2 : Version1));
  }
  return Available;
}
