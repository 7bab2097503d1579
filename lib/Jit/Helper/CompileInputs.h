//===- CompileInputs.h - files that a compile depends on --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler's list of headers is incomplete, and does not contain the paths at
// which it found nothing. The rest is derived from the driver's plan (-###), in
// which response files, configuration files and "native" are expanded, and from
// the text of the headers:
//
//   files that any argument names (plugins, profiles, lists, module maps),
//   files that assembly includes (.incbin),
//   names whose appearance would change a search (Absences),
//   the processor that code is generated for.
//
// docs/format/jit-cache.md, "Inputs of a compile", has the list. The compile
// helper calls this; a cache hit does not.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_COMPILEINPUTS_H
#define KPACK_LIB_JIT_HELPER_COMPILEINPUTS_H

#include "Jit/Service/CompilePlan.h"

#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace kpack::jit {

/// Returns the configuration files that the driver reports.
std::vector<std::string> configurationFiles(const std::string &DryRun);

/// Returns the absolute paths of the regular files that \p Args name: as a
/// word, after '@' or '=', or at the end of a joined option. Ignores
/// definitions and outputs. \p WithOperands: includes words that are no
/// options.
std::vector<std::string> namedFiles(const Arguments &Args,
                                    const std::string &Directory,
                                    bool WithOperands = true);

/// Returns the target of a front end: triple, processor and features.
std::string getProcessor(const Arguments &FrontEnd);

/// Missing paths, each stored as an existing folder and a name that it lacks.
class Absences {
public:
  /// Adds \p Path, which is absolute, unless it exists.
  void add(const std::string &Path);
  const std::map<std::string, std::set<std::string>> &folders() const {
    return Names;
  }

private:
  bool isFolder(const std::string &Path);

  std::map<std::string, std::set<std::string>> Names;
  std::unordered_map<std::string, bool> Folders; ///< cache of isFolder()
};

/// The search path of one half for headers.
struct SearchPath {
  std::vector<std::string> Folders; ///< absolute; those for quotes come first
  size_t Quoted = 0;                ///< number of folders for quotes only

  static SearchPath of(const Arguments &FrontEnd, const std::string &Directory);
};

/// Facts from the texts of headers, each read once.
class HeaderTexts {
public:
  /// \p Paths are as the compiler printed them, including the source.
  HeaderTexts(const std::vector<std::string> &Paths,
              const std::string &Directory);

  /// Adds the paths that \p Search tries before it finds a header, or in vain
  /// (__has_include).
  void addAbsences(const SearchPath &Search, Absences &Missing) const;

  bool hasIncbin() const { return Incbin; } ///< or .include
  bool hasDate() const { return Date; }

private:
  struct Wanted {
    std::string Name, Folder; ///< of the including file; none for brackets
    bool Next;                ///< #include_next
    auto key() const { return std::tie(Name, Folder, Next); }
    bool operator<(const Wanted &Other) const { return key() < Other.key(); }
  };
  void read(const std::string &Path);

  std::vector<std::string> Paths;
  std::set<std::string> Includers; ///< folders
  std::set<Wanted> Names;
  bool Incbin = false, Date = false;
};

/// Returns the names after ".incbin" and ".include" in the strings of
/// \p Preprocessed, for inline assembly; adjacent strings are joined.
std::vector<std::string> assemblyIncludes(std::string_view Preprocessed);

/// Returns the file that the assembler finds for \p Name, or none; adds the
/// paths tried before to \p Missing.
std::string findForAssembly(const std::string &Name, const SearchPath &Search,
                            const std::string &Directory, Absences &Missing);

/// Adds the paths that a linker tries before it finds the libraries of \p Link.
void addLibraryAbsences(const Arguments &Link, const std::string &Directory,
                        Absences &Missing);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_COMPILEINPUTS_H
