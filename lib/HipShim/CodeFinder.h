//===- CodeFinder.h - archive entries for a wrapper -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search of lib/Runtime/Loader.h in two steps. A bundle's header states
// sizes before any code object is read, so the shim first collects the entries
// that would serve, and reads one when it is touched. Both searches share the
// code that finds archives, checks and orders them (Runtime/ArchiveSearch.h).
// This one also records the files that it examined, for the message if none
// serves (Explainer.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_CODEFINDER_H
#define KPACK_LIB_HIPSHIM_CODEFINDER_H

#include "Runtime/ArchiveSearch.h"
#include "Runtime/DeviceList.h"

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kpack::hipshim {

/// A wrapper, as a binary and the index of one of its code objects; or a
/// reference, which replaces a whole file.
struct Wanted {
  Marker M;
  std::string BinaryPath;
  /// nullopt for a reference.
  std::optional<uint32_t> Index = 0;

  std::string key() const {
    return Index ? M.KernelName + "#" + std::to_string(*Index) : M.KernelName;
  }
};

/// An entry that may serve.
struct Candidate {
  runtime::CachedArchive *Archive;
  const ArchiveEntry *Entry;
  std::string Target;
};

/// A file that a search examined, and the result.
struct LookedAt {
  enum class Kind { Absent, Usable, Unreadable, OfAnotherBuild };

  std::string Path;
  Kind What;
  std::string Finding; ///< text for the user: "no such file", "has gfx90a"
};

struct Search {
  /// Best first.
  std::vector<Candidate> Candidates;
  std::vector<std::string> Targets;
  std::vector<LookedAt> Files;

  // For the message if no entry serves:
  /// The first path at which an archive for this GPU would be searched.
  std::string Preferred;
  /// Archives of the same binary for other targets.
  std::vector<std::string> Others;
};

struct ReadCounts {
  std::atomic<uint64_t> Archives{0};
  std::atomic<uint64_t> Bytes{0}; // headers, tables of contents, code objects
  std::atomic<uint64_t> CodeObjects{0};
};

/// Used with the lock of LazyMemory held, so by one thread at a time.
class CodeFinder {
public:
  explicit CodeFinder(runtime::Environment Env) : Archives(std::move(Env)) {}

  const runtime::Environment &environment() const { return Archives.Env; }

  /// Returns the entries that may run on \p D.
  Search find(const Wanted &W, const runtime::Device &D);

  /// Returns the entries for all targets of all archives on the search path.
  Search findAll(const Wanted &W);

  /// Reads the entry of \p C into \p Buffer, which has \p Size zero bytes, at
  /// least as many as the entry. On failure writes a warning and clears the
  /// bytes again.
  bool read(const Candidate &C, char *Buffer, uint64_t Size);

  const ReadCounts &counts() const { return Counts; }

private:
  void trace(const Wanted &W, const Search &S) const;
  void explain(const Wanted &W, const runtime::Device &D, Search &S) const;
  std::vector<PathTemplate> templates(const Wanted &W) const;
  bool open(const Wanted &W, const runtime::ArchivePlace &P, Search &S);
  void offer(runtime::CachedArchive &A, const Wanted &W,
             const std::string &Target, Search &S);

  runtime::ArchiveSearch Archives;
  std::set<const runtime::CachedArchive *> Counted;
  ReadCounts Counts;
};

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_CODEFINDER_H
