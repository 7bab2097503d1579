//===- Marker.cpp - the .rocm_kpack_ref marker ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The MessagePack map of docs/format/marker.md. Keys have the order of ROCm's
// writer. Like ROCm's loader, this decoder skips search paths that are not
// strings and ignores unknown keys.
//
//===----------------------------------------------------------------------===//

#include "kpack/Archive/Marker.h"
#include "kpack/Archive/detail/Msgpack.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace kpack;

namespace {

constexpr std::string_view SearchPathsKey = "kpack_search_paths";
constexpr std::string_view KernelNameKey = "kernel_name";
constexpr std::string_view ArchiveIdKey = "archive_id";
constexpr std::string_view DebugPathsKey = "kpack_debug_paths";
constexpr std::string_view BuiltKey = "code_objects";
// Keys of the map that is its value.
constexpr std::string_view TargetsKey = "targets";
constexpr std::string_view UnitsKey = "units";
constexpr std::string_view NamesKey = "names";
constexpr std::string_view PadKey = "pad";

using Value = detail::MsgpackValue;

class MarkerParser {
public:
  explicit MarkerParser(std::string_view Bytes) : In(Bytes) {}

  bool parse() {
    Value Root;
    return In.read(Root) &&
           In.fields(Root, Keys, Seen,
                     [&](size_t Key, const Value &V) { return field(Key, V); });
  }

  bool finish() {
    if (!(Seen & 1u << NameAt))
      return In.refuse("no 'kernel_name'");
    if (Found.SearchPaths.empty())
      return In.refuse("no search path in 'kpack_search_paths'");
    // The operating system would truncate such a path.
    for (const std::string &Path : Found.SearchPaths)
      if (Path.find('\0') != std::string::npos)
        return In.refuse("a search path contains a zero byte");
    finishBuilt();
    return true;
  }

  detail::MsgpackReader In;
  Marker Found;

private:
  static constexpr std::string_view Keys[] = {
      SearchPathsKey, KernelNameKey, ArchiveIdKey, DebugPathsKey, BuiltKey};
  enum { PathsAt, NameAt, IdAt, DebugPathsAt, BuiltAt };

  bool field(size_t Key, const Value &V) {
    switch (Key) {
    case PathsAt:
      if (V.Kind != Value::Array)
        return In.refuse("'kpack_search_paths' is not an array");
      return paths(V, Found.SearchPaths);
    case DebugPathsAt:
      // Searches do not depend on it, so errors in it are ignored.
      return V.Kind == Value::Array ? paths(V, Found.DebugPaths) : In.skip(V);
    case BuiltAt:
      return built(V);
    default:
      (Key == NameAt ? Found.KernelName : Found.ArchiveId) = V.Text;
      return V.Kind == Value::Str ||
             In.refuse("'" + std::string(Keys[Key]) + "' is not a str");
    }
  }

  bool paths(const Value &List, std::vector<std::string> &Paths) {
    return In.items(List, [&](const Value &Item) {
      if (Item.Kind == Value::Str)
        Paths.emplace_back(Item.Text);
      return In.skip(Item);
    });
  }

  //===--------------------------------------------------------------------===//
  // "code_objects". It only improves messages, so errors in it are recorded and
  // skipped, and the marker stays valid.
  //===--------------------------------------------------------------------===//

  bool built(const Value &Map) {
    if (Map.Kind != Value::Map)
      return passOver(Map);
    return In.items(Map, [&](const Value &Part) {
      Value V;
      if (BuiltIsBad) // ignore the rest
        return In.skip(Part) && In.read(V) && In.skip(V);
      if (Part.Kind != Value::Str)
        return In.refuse("a map key is not a str");
      return In.read(V) && builtPart(Part.Text, V);
    });
  }

  bool builtPart(std::string_view Part, const Value &V) {
    if (Part != TargetsKey && Part != UnitsKey && Part != NamesKey)
      return In.skip(V);
    if (V.Kind != Value::Array)
      return passOver(V);
    return In.items(V,
                    [&](const Value &Item) { return builtItem(Part, Item); });
  }

  bool builtItem(std::string_view Part, const Value &Item) {
    BuiltCode &Built = Found.Built;
    if (Part == TargetsKey && Item.Kind == Value::Array) {
      Built.TargetSets.emplace_back();
      return In.items(Item, [&](const Value &Target) {
        if (Target.Kind != Value::Str)
          return passOver(Target);
        Built.TargetSets.back().emplace_back(Target.Text);
        return true;
      });
    }
    if (Part == NamesKey && Item.Kind == Value::Str) {
      Built.Names.emplace_back(Item.Text);
      return true;
    }
    if (Part != UnitsKey || Item.Kind != Value::Uint ||
        Item.Number > UINT32_MAX)
      return passOver(Item);
    auto Index = static_cast<uint32_t>(Item.Number);
    if (HalfRun)
      Built.Runs.back().Count = Index;
    else
      Built.Runs.push_back({Index, 0});
    HalfRun = !HalfRun;
    return true;
  }

  bool passOver(const Value &V) {
    BuiltIsBad = true;
    return In.skip(V);
  }

  void finishBuilt() {
    BuiltCode &Built = Found.Built;
    uint64_t Wrappers = 0;
    for (const BuiltCode::Run &R : Built.Runs) {
      Wrappers += R.Count;
      BuiltIsBad |= R.Set >= Built.TargetSets.size();
    }
    BuiltIsBad |=
        HalfRun || (!Built.Names.empty() && Built.Names.size() != Wrappers);
    if (!BuiltIsBad)
      return;
    Found.Built = BuiltCode();
    Found.BuiltProblem =
        "'code_objects' is not as docs/format/marker.md has it";
  }

  uint32_t Seen = 0;
  bool BuiltIsBad = false;
  bool HalfRun = false;
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
  auto Found = std::find(TargetSets.begin(), TargetSets.end(), Targets);
  auto Set = static_cast<uint32_t>(Found - TargetSets.begin());
  if (Found == TargetSets.end())
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
  Out.map(2 + !M.ArchiveId.empty() + !M.DebugPaths.empty() + !M.Built.empty());
  Out.str(SearchPathsKey);
  Out.array(M.SearchPaths.size());
  for (const std::string &Path : M.SearchPaths)
    Out.str(Path);
  Out.field(KernelNameKey, M.KernelName);
  if (!M.ArchiveId.empty())
    Out.field(ArchiveIdKey, M.ArchiveId);
  if (!M.DebugPaths.empty()) {
    Out.str(DebugPathsKey);
    Out.array(M.DebugPaths.size());
    for (const std::string &Path : M.DebugPaths)
      Out.str(Path);
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
  auto HasZeroByte = [](const std::string &Path) {
    return Path.find('\0') != std::string::npos;
  };
  for (const std::vector<std::string> *Paths : {&M.SearchPaths, &M.DebugPaths})
    if (std::any_of(Paths->begin(), Paths->end(), HasZeroByte))
      return Status(StatusCode::InvalidArgument,
                    "marker: a search path contains a zero byte; remove it");

  std::string Bytes = encode(M, std::nullopt);
  if (Bytes.size() < Size && !M.Built.empty()) {
    // The size of the length field depends on the length.
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
  MarkerParser Parser(Bytes);
  bool IsParsed = Parser.parse();
  size_t End = Parser.In.offset();
  if (!IsParsed)
    return invalid("offset " + std::to_string(End) + ": " + Parser.In.reason());
  if (!Parser.finish())
    return invalid(Parser.In.reason());
  if (Exact && End != Bytes.size())
    return invalid("offset " + std::to_string(End) + ": " +
                   std::to_string(Bytes.size() - End) +
                   " bytes follow the map");
  if (Size)
    *Size = End;
  return std::move(Parser.Found);
}

Result<Marker> kpack::decodeReference(std::string_view Bytes) {
  return decodeMarker(Bytes.substr(ReferenceMagic.size()), /*Exact=*/true);
}
