//===- Marker.cpp - the .rocm_kpack_ref marker ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The MessagePack map of docs/format/marker.md. Keys are written in the order
// of ROCm's own writer. Its loader skips search paths that are no strings and
// ignores unknown keys; so does this decoder.
//
//===----------------------------------------------------------------------===//

#include "kpack/Archive/Marker.h"
#include "kpack/Archive/detail/Msgpack.h"
#include "kpack/Archive/detail/MsgpackWriter.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace kpack;

namespace {

constexpr std::string_view SearchPathsKey = "kpack_search_paths";
constexpr std::string_view KernelNameKey = "kernel_name";
constexpr std::string_view ArchiveIdKey = "archive_id";
constexpr std::string_view BuiltKey = "code_objects";
// Of the map that is its value.
constexpr std::string_view TargetsKey = "targets";
constexpr std::string_view UnitsKey = "units";
constexpr std::string_view NamesKey = "names";
constexpr std::string_view PadKey = "pad";

class MarkerVisitor : public detail::MsgpackVisitor<MarkerVisitor> {
public:
  bool ignores() const {
    if (depth() < 2)
      return false;
    if (Current == SearchPathsKey)
      return depth() > 2;
    return Current != BuiltKey || !BuiltBad.empty() || isSpare();
  }

  bool onKey(std::string_view Key) {
    if (depth() > 1) {
      Part = Key;
      return true;
    }
    bool &Seen = seen(Key);
    if (Seen && &Seen != &SeenOther)
      return refuse("key '" + std::string(Key) + "' occurs twice");
    Seen = true;
    Current = Key;
    return true;
  }

  bool onScalar(const detail::Scalar &V) {
    if (depth() > 1 && Current == BuiltKey)
      return builtScalar(V);
    if (depth() == 2) {
      if (V.Kind == detail::Scalar::Str)
        Found.SearchPaths.emplace_back(V.Text);
      return true;
    }
    if (Current == BuiltKey)
      return builtBad();
    if (Current == KernelNameKey)
      return text(V, Found.KernelName);
    if (Current == ArchiveIdKey)
      return text(V, Found.ArchiveId);
    if (Current == SearchPathsKey)
      return refuse("'kpack_search_paths' is not an array");
    return true;
  }

  bool onOpen(bool IsMap) {
    if (depth() > 1)
      return Current != BuiltKey || ignores() || builtOpen(IsMap);
    if (depth() != 1)
      return true;
    if (Current == BuiltKey && !IsMap)
      return builtBad();
    if (Current == SearchPathsKey && IsMap)
      return refuse("'kpack_search_paths' is not an array");
    if (Current == KernelNameKey || Current == ArchiveIdKey)
      return refuse("'" + std::string(Current) + "' is not a str");
    return true;
  }

  bool onClose() { return true; }

  bool finish() {
    if (!SeenName)
      return refuse("no 'kernel_name'");
    if (Found.SearchPaths.empty())
      return refuse("no search path in 'kpack_search_paths'");
    // A path goes to the operating system, which would see half of it.
    for (const std::string &Path : Found.SearchPaths)
      if (Path.find('\0') != std::string::npos)
        return refuse("a search path contains a zero byte");
    finishBuilt();
    return true;
  }

  Marker Found;

private:
  bool &seen(std::string_view Key) {
    if (Key == SearchPathsKey)
      return SeenPaths;
    if (Key == KernelNameKey)
      return SeenName;
    if (Key == BuiltKey)
      return SeenBuilt;
    return Key == ArchiveIdKey ? SeenId : SeenOther;
  }

  //===--------------------------------------------------------------------===//
  // "code_objects". It helps a user and is nothing that a search needs: what is
  // wrong with it is noted, and the marker is good without it.
  //===--------------------------------------------------------------------===//

  bool isKnownPart() const {
    return Part == TargetsKey || Part == UnitsKey || Part == NamesKey;
  }
  /// Inside a part of "code_objects" that nobody asked for.
  bool isSpare() const { return depth() > 2 && !isKnownPart(); }

  bool builtBad() {
    BuiltBad = "'code_objects' is not as docs/format/marker.md has it";
    return true;
  }

  bool builtOpen(bool IsMap) {
    if (!isKnownPart())
      return true;
    if (IsMap || depth() > 3 || (depth() == 3 && Part != TargetsKey))
      return builtBad();
    if (depth() == 3)
      Found.Built.TargetSets.emplace_back();
    return true;
  }

  bool builtScalar(const detail::Scalar &V) {
    BuiltCode &Built = Found.Built;
    bool IsText = V.Kind == detail::Scalar::Str;
    if (depth() == 2)
      return !isKnownPart() || builtBad();
    if (depth() == 4 && IsText) {
      Built.TargetSets.back().emplace_back(V.Text);
      return true;
    }
    if (depth() == 3 && Part == NamesKey && IsText) {
      Built.Names.emplace_back(V.Text);
      return true;
    }
    if (depth() != 3 || Part != UnitsKey || V.Kind != detail::Scalar::Uint ||
        V.Number > UINT32_MAX)
      return builtBad();
    auto Number = static_cast<uint32_t>(V.Number);
    if (HalfRun)
      Built.Runs.back().Count = Number;
    else
      Built.Runs.push_back({Number, 0});
    HalfRun = !HalfRun;
    return true;
  }

  void finishBuilt() {
    BuiltCode &Built = Found.Built;
    uint64_t Wrappers = 0;
    for (const BuiltCode::Run &R : Built.Runs) {
      Wrappers += R.Count;
      if (R.Set >= Built.TargetSets.size())
        builtBad();
    }
    if (HalfRun || (!Built.Names.empty() && Built.Names.size() != Wrappers))
      builtBad();
    if (BuiltBad.empty())
      return;
    Found.Built = BuiltCode();
    Found.BuiltProblem = std::move(BuiltBad);
  }

  bool text(const detail::Scalar &V, std::string &To) {
    if (V.Kind != detail::Scalar::Str)
      return refuse("'" + std::string(Current) + "' is not a str");
    To = V.Text;
    return true;
  }

  std::string_view Current;
  std::string_view Part; // the key inside "code_objects"
  std::string BuiltBad;
  bool HalfRun = false;
  bool SeenBuilt = false;
  bool SeenPaths = false;
  bool SeenName = false;
  bool SeenId = false;
  bool SeenOther = false;
};

Status invalid(std::string Why) {
  return Status(StatusCode::InvalidMetadata,
                "marker: " + std::move(Why) +
                    "; link the binary again with ld.kpack");
}

} // namespace

const std::vector<std::string> *BuiltCode::targetsOf(uint64_t Index) const {
  for (const Run &R : Runs) {
    if (Index < R.Count)
      return &TargetSets[R.Set];
    Index -= R.Count;
  }
  return nullptr;
}

std::vector<std::string> BuiltCode::allTargets() const {
  std::set<std::string> All;
  for (const std::vector<std::string> &Set : TargetSets)
    All.insert(Set.begin(), Set.end());
  return {All.begin(), All.end()};
}

std::string_view BuiltCode::nameOf(uint64_t Index) const {
  return Index < Names.size() ? std::string_view(Names[Index])
                              : std::string_view();
}

void BuiltCode::add(std::vector<std::string> Targets, std::string Name) {
  auto At = std::find(TargetSets.begin(), TargetSets.end(), Targets);
  auto Set = static_cast<uint32_t>(At - TargetSets.begin());
  if (At == TargetSets.end())
    TargetSets.push_back(std::move(Targets));
  if (Runs.empty() || Runs.back().Set != Set)
    Runs.push_back({Set, 0});
  ++Runs.back().Count;
  if (!Name.empty())
    Names.push_back(std::move(Name));
}

static void writeBuilt(detail::MsgpackWriter &Out, const BuiltCode &Built,
                       std::optional<size_t> Pad) {
  Out.map(2 + !Built.Names.empty() + Pad.has_value());
  Out.str(TargetsKey);
  Out.array(Built.TargetSets.size());
  for (const std::vector<std::string> &Set : Built.TargetSets) {
    Out.array(Set.size());
    for (const std::string &Target : Set)
      Out.str(Target);
  }
  Out.str(UnitsKey);
  Out.array(2 * Built.Runs.size());
  for (const BuiltCode::Run &R : Built.Runs) {
    Out.uint(R.Set);
    Out.uint(R.Count);
  }
  if (!Built.Names.empty()) {
    Out.str(NamesKey);
    Out.array(Built.Names.size());
    for (const std::string &Name : Built.Names)
      Out.str(Name);
  }
  if (Pad) {
    Out.str(PadKey);
    Out.bin(std::string(*Pad, '\0'));
  }
}

static std::string encode(const Marker &M, std::optional<size_t> Pad) {
  std::string Bytes;
  detail::MsgpackWriter Out(Bytes);
  Out.map(2 + !M.ArchiveId.empty() + !M.Built.empty());
  Out.str(SearchPathsKey);
  Out.array(M.SearchPaths.size());
  for (const std::string &Path : M.SearchPaths)
    Out.str(Path);
  Out.str(KernelNameKey);
  Out.str(M.KernelName);
  if (!M.ArchiveId.empty()) {
    Out.str(ArchiveIdKey);
    Out.str(M.ArchiveId);
  }
  if (!M.Built.empty()) {
    Out.str(BuiltKey);
    writeBuilt(Out, M.Built, Pad);
  }
  return Bytes;
}

Result<std::string> kpack::encodeMarker(const Marker &M, size_t Size) {
  if (M.SearchPaths.empty())
    return Status(StatusCode::InvalidArgument,
                  "marker: no search path; name where the archive will be");
  for (const std::string &Path : M.SearchPaths)
    if (Path.find('\0') != std::string::npos)
      return Status(StatusCode::InvalidArgument,
                    "marker: a search path contains a zero byte; remove it");

  std::string Bytes = encode(M, std::nullopt);
  if (Bytes.size() < Size && !M.Built.empty()) {
    // How long the length itself is depends on it.
    size_t Least = encode(M, 0).size();
    for (size_t Header = 0; Header != 4 && Least + Header <= Size; ++Header)
      if (std::string Padded = encode(M, Size - Least - Header);
          Padded.size() == Size) {
        Bytes = std::move(Padded);
        break;
      }
  }
  if (Size && Bytes.size() != Size)
    return Status(StatusCode::InvalidArgument,
                  "marker: " + std::to_string(Bytes.size()) +
                      " bytes for a place of " + std::to_string(Size) +
                      "; report this to who makes kpack");
  if (Bytes.size() > MaxMarkerSize)
    return Status(StatusCode::InvalidArgument,
                  "marker: " + std::to_string(Bytes.size()) +
                      " bytes, readers look at no more than " +
                      std::to_string(MaxMarkerSize) +
                      "; use fewer or shorter search paths");
  return Bytes;
}

Result<Marker> kpack::decodeMarker(std::string_view Bytes, bool Exact,
                                   size_t *Size) {
  if (Exact && Bytes.size() > MaxMarkerSize)
    return invalid(std::to_string(Bytes.size()) + " bytes, at most " +
                   std::to_string(MaxMarkerSize) + " are allowed");
  Bytes = Bytes.substr(0, MaxMarkerSize);
  MarkerVisitor Visitor;
  size_t End = 0;
  if (!Visitor.parse(Bytes, End))
    return invalid("offset " + std::to_string(End) + ": " + Visitor.reason());
  if (!Visitor.finish())
    return invalid(Visitor.reason());
  if (Exact && End != Bytes.size())
    return invalid("offset " + std::to_string(End) + ": " +
                   std::to_string(Bytes.size() - End) +
                   " bytes follow the map");
  if (Size)
    *Size = End;
  return std::move(Visitor.Found);
}
