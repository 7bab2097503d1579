//===- CompileInputs.h - what a compile depends on --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler's list of headers is not all that it reads, and says nothing on
// where it has looked in vain. The rest is derived from its own plan (-###),
// which has response files, configuration files and "native" expanded, and
// from the text of the headers:
//
//   files that any argument names (plugins, profiles, lists, module maps),
//   files that assembly takes in (.incbin),
//   names whose appearance would change what is found (Absences),
//   the processor that code is made for.
//
// docs/format/jit-cache.md, "What a compile reads", is the list. The compile
// helper calls this; a hit does not.
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

/// The configuration files that the driver says it has read.
std::vector<std::string> configurationFiles(const std::string &DryRun);

/// Regular files that \p Words name, absolute: as a word, after '@' or '=',
/// or at the end of a joined option. Definitions and outputs are no files.
/// \p WithOperands: also words that stand alone.
std::vector<std::string> namedFiles(const Arguments &Words,
                                    const std::string &Directory,
                                    bool WithOperands = true);

/// What a front end makes code for: triple, processor and abilities.
std::string processorOf(const Arguments &FrontEnd);

/// Paths that are not there, kept as the folder that is, and the name in it.
class Absences {
public:
  /// Nothing if there is something at \p Path, an absolute one.
  void add(const std::string &Path);
  const std::map<std::string, std::set<std::string>> &folders() const {
    return Names;
  }

private:
  bool isFolder(const std::string &Path);

  std::map<std::string, std::set<std::string>> Names;
  std::unordered_map<std::string, bool> Folders; ///< looked at before
};

/// Where one half looks for headers.
struct SearchPath {
  std::vector<std::string> Folders; ///< absolute; those of quotes first
  size_t Quoted = 0;                ///< how many of them are for quotes only

  static SearchPath of(const Arguments &FrontEnd, const std::string &Directory);
};

/// What the texts of headers say, read once.
class HeaderTexts {
public:
  /// \p Paths as the compiler has printed them, the source among them.
  HeaderTexts(const std::vector<std::string> &Paths,
              const std::string &Directory);

  /// Places where \p Search looks for a header before it finds it, or in vain
  /// (__has_include).
  void addAbsences(const SearchPath &Search, Absences &To) const;

  bool hasIncbin() const { return Incbin; } ///< or .include
  bool hasDate() const { return Date; }

private:
  struct Wanted {
    std::string Name, Folder; ///< of who includes it; no folder: in brackets
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

/// Names after ".incbin" and ".include" in the strings of \p Preprocessed, for
/// inline assembly; strings that stand side by side are one.
std::vector<std::string> assemblyIncludes(std::string_view Preprocessed);

/// The file that the assembler takes for \p Name, or none; where it looks
/// before is added to \p To.
std::string findForAssembly(const std::string &Name, const SearchPath &Search,
                            const std::string &Directory, Absences &To);

/// Where a linker looks for the libraries of \p Link before it finds them.
void addLibraryAbsences(const Arguments &Link, const std::string &Directory,
                        Absences &To);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_COMPILEINPUTS_H
