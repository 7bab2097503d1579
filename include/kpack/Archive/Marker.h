//===- kpack/Archive/Marker.h - the .rocm_kpack_ref marker ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a host-only binary says of its device code (docs/format/marker.md):
// one MessagePack map that fills the section exactly,
//
//   { "kpack_search_paths": [str, ...], "kernel_name": str,
//     "archive_id": str, "code_objects": {...} }   ; the last two optional
//
// Written by the linker and the converters, read by the runtime through a bare
// pointer: the decoder is told how many bytes may be looked at and never reads
// beyond the end of the map.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_MARKER_H
#define KPACK_ARCHIVE_MARKER_H

#include "kpack/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kpack {

/// Name of the section in ELF files.
inline constexpr std::string_view MarkerSectionName = ".rocm_kpack_ref";
/// The shipped readers look at no more than this.
inline constexpr size_t MaxMarkerSize = 64 * 1024;
/// In a search path: replaced by the target id that is looked for.
inline constexpr std::string_view ArchPlaceholder = "@GFXARCH@";

/// \p Text with \p Target in the place of its first placeholder.
inline std::string replaceArch(std::string_view Text, std::string_view Target) {
  std::string Replaced(Text);
  if (size_t At = Text.find(ArchPlaceholder); At != Text.npos)
    Replaced.replace(At, ArchPlaceholder.size(), Target);
  return Replaced;
}

/// The place that a search path leads to. Only Text is substituted: a folder
/// may have "@GFXARCH@" in its own name.
struct PathTemplate {
  /// Taken as it is; empty, or ends with a slash.
  std::string Folder;
  /// The text of a marker or of an option, or its last part.
  std::string Text;

  bool hasPlaceholder() const {
    return Text.find(ArchPlaceholder) != Text.npos;
  }
  std::string pathFor(std::string_view Target) const {
    return Folder + replaceArch(Text, Target);
  }
  /// With the placeholder.
  std::string whole() const { return Folder + Text; }
};

/// For which targets the TUs of a binary were built (key "code_objects"): what
/// ought to be in archives, whichever of them are installed. It is for messages
/// and checks; no search depends on it.
struct BuiltCode {
  /// Distinct lists of target ids, each sorted.
  std::vector<std::vector<std::string>> TargetSets;
  struct Run {
    uint32_t Set;
    uint32_t Count;
  };
  /// In the order of the wrappers: Count of them have TargetSets[Set].
  std::vector<Run> Runs;
  /// Names of the TUs, one for each wrapper; empty when there was no room.
  std::vector<std::string> Names;

  bool empty() const { return Runs.empty(); }
  /// The targets of wrapper \p Index, or null when nothing is said of it.
  const std::vector<std::string> *targetsOf(uint64_t Index) const;
  /// Every target that occurs, sorted.
  std::vector<std::string> allTargets() const;
  /// The name of the TU of wrapper \p Index, or empty.
  std::string_view nameOf(uint64_t Index) const;
  /// Adds one more wrapper. All of them are named, or none; \p Targets is
  /// sorted.
  void add(std::vector<std::string> Targets, std::string Name);
};

/// What a file begins with that stands where a code object was, a reference.
/// The marker follows, to the end. Its fifth byte is no class of ELF files: of
/// those HIP 5 believes everything.
inline constexpr std::string_view ReferenceMagic = "HIPKREF1";

inline bool isReference(std::string_view Bytes) {
  return Bytes.substr(0, ReferenceMagic.size()) == ReferenceMagic;
}

struct Marker {
  std::string KernelName;
  std::vector<std::string> SearchPaths;
  /// Identity of the code objects this binary was linked with; may be empty.
  std::string ArchiveId;
  /// As SearchPaths, of archives with the debug information of device code. For
  /// debuggers; no loader looks there.
  std::vector<std::string> DebugPaths;
  /// Empty in binaries of other linkers.
  BuiltCode Built;
  /// Why the key is there and Built is empty: it is not as we know it.
  std::string BuiltProblem;
};

/// The map's bytes. InvalidArgument when they exceed MaxMarkerSize, or without
/// a search path.
///
/// With a \p Size the map gets exactly that many bytes, if it is not longer, by
/// an unused item in "code_objects"; InvalidArgument where that cannot be had.
Result<std::string> encodeMarker(const Marker &M, size_t Size = 0);

/// Reads the map at the start of \p Bytes; what follows the map is ignored
/// unless \p Exact, which demands that the map fills Bytes. \p Size, if given,
/// receives the map's length. InvalidMetadata on anything malformed.
Result<Marker> decodeMarker(std::string_view Bytes, bool Exact = false,
                            size_t *Size = nullptr);

/// The marker of a file for which isReference() holds. InvalidMetadata as
/// above, the whole file being looked at.
Result<Marker> decodeReference(std::string_view Bytes);

} // namespace kpack

#endif // KPACK_ARCHIVE_MARKER_H
