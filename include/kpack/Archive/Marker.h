//===- kpack/Archive/Marker.h - the .rocm_kpack_ref marker ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference of a host-only binary to its device code
// (docs/format/marker.md), one MessagePack map that fills the section exactly:
//
//   { "kpack_search_paths": [str, ...], "kernel_name": str,
//     "archive_id": str, "code_objects": {...} }   ; the last two optional
//
// The linker and the converters write it; the runtime reads it through a bare
// pointer. The decoder gets a limit of readable bytes and never reads beyond
// the end of the map.
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
/// The shipped readers read no more than this many bytes.
inline constexpr size_t MaxMarkerSize = 64 * 1024;
/// Placeholder in a search path; readers replace it by the target id.
inline constexpr std::string_view ArchPlaceholder = "@GFXARCH@";

/// Returns \p Text with \p Target instead of its first placeholder.
inline std::string replaceArch(std::string_view Text, std::string_view Target) {
  std::string Replaced(Text);
  if (size_t Position = Text.find(ArchPlaceholder); Position != Text.npos)
    Replaced.replace(Position, ArchPlaceholder.size(), Target);
  return Replaced;
}

/// The path of an archive for each target. Only Text is substituted: a folder's
/// name may contain "@GFXARCH@".
struct PathTemplate {
  /// Not substituted; empty, or ends with a slash.
  std::string Folder;
  /// The text of a marker or of an option, or its last part.
  std::string Text;

  bool hasPlaceholder() const {
    return Text.find(ArchPlaceholder) != Text.npos;
  }
  std::string pathFor(std::string_view Target) const {
    return Folder + replaceArch(Text, Target);
  }
  /// The path with the placeholder.
  std::string whole() const { return Folder + Text; }
};

/// The targets of the TUs of a binary (key "code_objects"): the code that
/// archives should have, whichever of them are installed. For messages and
/// checks only; no search depends on it.
struct BuiltCode {
  /// Distinct lists of target ids, each sorted.
  std::vector<std::vector<std::string>> TargetSets;
  struct Run {
    uint32_t Set;
    uint32_t Count;
  };
  /// In the order of the wrappers: Count of them have TargetSets[Set].
  std::vector<Run> Runs;
  /// Names of the TUs, one for each wrapper; empty if there was no room.
  std::vector<std::string> Names;

  bool empty() const { return Runs.empty(); }
  /// Returns the targets of wrapper \p Index, or null if they are not known.
  const std::vector<std::string> *targetsOf(uint64_t Index) const;
  /// Returns every target, sorted.
  std::vector<std::string> allTargets() const;
  /// Returns the name of the TU of wrapper \p Index, or empty.
  std::string_view nameOf(uint64_t Index) const;
  /// Adds a wrapper. All wrappers have names, or none; \p Targets is sorted.
  void add(std::vector<std::string> Targets, std::string Name);
};

/// The first bytes of a reference, a file in place of a code object. The marker
/// follows to the end. The fifth byte is no class of ELF files, because HIP 5
/// does not check the contents of ELF files.
inline constexpr std::string_view ReferenceMagic = "HIPKREF1";

inline bool isReference(std::string_view Bytes) {
  return Bytes.substr(0, ReferenceMagic.size()) == ReferenceMagic;
}

struct Marker {
  std::string KernelName;
  std::vector<std::string> SearchPaths;
  /// Identity of the code objects this binary was linked with; may be empty.
  std::string ArchiveId;
  /// Search paths of archives with the debug information of device code. For
  /// debuggers; no loader uses them.
  std::vector<std::string> DebugPaths;
  /// Empty in binaries of other linkers.
  BuiltCode Built;
  /// The reason why Built is empty although the key exists, in an unknown form.
  std::string BuiltProblem;
};

/// Returns the map's bytes. InvalidArgument if they exceed MaxMarkerSize, or
/// without a search path.
///
/// With a \p Size, pads the map to exactly that many bytes, if it is not
/// longer, by an unused item in "code_objects"; InvalidArgument if that is not
/// possible.
Result<std::string> encodeMarker(const Marker &M, size_t Size = 0);

/// Reads the map at the start of \p Bytes; bytes after the map are ignored
/// unless \p Exact, which demands that the map fills Bytes. \p Size, if given,
/// receives the map's length. InvalidMetadata for malformed input.
Result<Marker> decodeMarker(std::string_view Bytes, bool Exact = false,
                            size_t *Size = nullptr);

/// Reads the marker of a file for which isReference() holds; the marker must
/// fill the rest of the file. InvalidMetadata as above.
Result<Marker> decodeReference(std::string_view Bytes);

} // namespace kpack

#endif // KPACK_ARCHIVE_MARKER_H
