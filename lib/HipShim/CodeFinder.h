//===- CodeFinder.h - what archives offer -----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search of lib/Runtime/Loader.h in two steps. A bundle's header states
// sizes before any code object is read, so the shim first needs to know which
// entries would serve, and reads one when it is touched. Where archives are,
// which of them serve a binary and in what order is decided by the same code
// (Runtime/ArchiveSearch.h). It also remembers what it looked at, for the
// message if nothing serves (Explain.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_CODEFINDER_H
#define KPACK_LIB_HIPSHIM_CODEFINDER_H

#include "Runtime/ArchiveSearch.h"
#include "Runtime/Devices.h"

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kpack::hipshim {

/// A wrapper: which binary, which of its code objects. Or a reference, which
/// stands for one.
struct Wanted {
  Marker M;
  std::string BinaryPath;
  /// None: a reference.
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

/// A file of a search, and what it turned out to be.
struct LookedAt {
  enum class Kind { Absent, Usable, Unreadable, OfAnotherBuild };

  std::string Path;
  Kind What;
  std::string Finding; ///< for the reader: "no such file", "has gfx90a"
};

struct Search {
  /// Best first.
  std::vector<Candidate> Candidates;
  std::vector<std::string> Targets;
  std::vector<LookedAt> Files;

  // Only if nothing serves, for the message:
  /// Where an archive for this GPU would be looked for first.
  std::string Preferred;
  /// Archives of the same binary for other targets.
  std::vector<std::string> Others;
};

struct ReadCounts {
  std::atomic<uint64_t> Archives{0};
  std::atomic<uint64_t> Bytes{0}; // headers, tables of contents, code objects
  std::atomic<uint64_t> CodeObjects{0};
};

/// Called with the lock of LazyMemory held: one thread at a time.
class CodeFinder {
public:
  explicit CodeFinder(runtime::Environment Env) : Archives(std::move(Env)) {}

  const runtime::Environment &environment() const { return Archives.Env; }

  /// What may run on \p D.
  Search find(const Wanted &W, const runtime::Device &D);

  /// Every target that any archive on the search path offers.
  Search findAll(const Wanted &W);

  /// Reads C into \p To, which has \p Size bytes that are zero: no less than
  /// the entry has. Writes a warning if that fails; the bytes are zero again.
  bool read(const Candidate &C, char *To, uint64_t Size);

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
