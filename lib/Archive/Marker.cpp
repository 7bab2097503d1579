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
#include "MsgpackWriter.h"
#include "kpack/Archive/detail/Msgpack.h"

using namespace kpack;

namespace {

constexpr std::string_view SearchPathsKey = "kpack_search_paths";
constexpr std::string_view KernelNameKey = "kernel_name";
constexpr std::string_view ArchiveIdKey = "archive_id";

class MarkerVisitor : public detail::MsgpackVisitor<MarkerVisitor> {
public:
  bool ignores() const {
    return depth() > 2 || (depth() == 2 && Current != SearchPathsKey);
  }

  bool onKey(std::string_view Key) {
    bool &Seen = seen(Key);
    if (Seen && &Seen != &SeenOther)
      return refuse("key '" + std::string(Key) + "' occurs twice");
    Seen = true;
    Current = Key;
    return true;
  }

  bool onScalar(const detail::Scalar &V) {
    if (depth() == 2) {
      if (V.Kind == detail::Scalar::Str)
        Found.SearchPaths.emplace_back(V.Text);
      return true;
    }
    if (Current == KernelNameKey)
      return text(V, Found.KernelName);
    if (Current == ArchiveIdKey)
      return text(V, Found.ArchiveId);
    if (Current == SearchPathsKey)
      return refuse("'kpack_search_paths' is not an array");
    return true;
  }

  bool onOpen(bool IsMap) {
    if (depth() != 1)
      return true;
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
    return true;
  }

  Marker Found;

private:
  bool &seen(std::string_view Key) {
    if (Key == SearchPathsKey)
      return SeenPaths;
    if (Key == KernelNameKey)
      return SeenName;
    return Key == ArchiveIdKey ? SeenId : SeenOther;
  }

  bool text(const detail::Scalar &V, std::string &To) {
    if (V.Kind != detail::Scalar::Str)
      return refuse("'" + std::string(Current) + "' is not a str");
    To = V.Text;
    return true;
  }

  std::string_view Current;
  bool SeenPaths = false;
  bool SeenName = false;
  bool SeenId = false;
  bool SeenOther = false;
};

Status invalid(std::string Why) {
  return Status(StatusCode::InvalidMetadata,
                "marker: " + std::move(Why) + "; link the binary again");
}

} // namespace

Result<std::string> kpack::encodeMarker(const Marker &M) {
  if (M.SearchPaths.empty())
    return Status(StatusCode::InvalidArgument,
                  "marker: no search path; name where the archive will be");
  for (const std::string &Path : M.SearchPaths)
    if (Path.find('\0') != std::string::npos)
      return Status(StatusCode::InvalidArgument,
                    "marker: a search path contains a zero byte; remove it");

  std::string Bytes;
  detail::MsgpackWriter Out(Bytes);
  Out.map(M.ArchiveId.empty() ? 2 : 3);
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
