//===- HostLink.h - the host link: one run of lld ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs lld on the user's command line with three changes: replaced inputs come
// from memory, the marker archive is the last input, and the output gets a
// temporary name. Messages, map and dependency file still use the user's names.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_HOSTLINK_H
#define KPACK_LIB_LINKER_HOSTLINK_H

#include "InputFiles.h"
#include "MemoryFile.h"
#include "NameStream.h"
#include "Options.h"

namespace kpack::linker {

class HostLink {
public:
  /// lld writes to \p LinkedFile and \p MapFile, and its list of files to \p
  /// Dependencies. An empty \p MapFile means no map.
  HostLink(const LinkOptions &Options, std::string LinkedFile,
           std::string MapFile, MemoryFile Dependencies, llvm::raw_ostream &Out,
           llvm::raw_ostream &Err)
      : Options(Options), LinkedFile(std::move(LinkedFile)),
        MapFile(std::move(MapFile)), Dependencies(std::move(Dependencies)),
        Err(Err), Output(Out, Names, /*HoldBack=*/false),
        Messages(Err, Names, /*HoldBack=*/true) {}

  /// Links; \p MarkerArchive may be null. Returns lld's exit code. Holds lld's
  /// messages back, from the first undefined __hip_fatbin symbol on, until
  /// release() or the next run.
  int run(const InputFiles &Inputs, const MemoryFile *MarkerArchive);

  void release() { Messages.release(); }
  /// True if lld reported an undefined __hip_fatbin symbol.
  bool missedFatBin() const { return Messages.missedFatBin(); }
  /// True if lld reported a __hip_cuid symbol that is defined twice.
  bool repeatedCuid() const { return Messages.repeatedCuid(); }

  /// Returns the files that lld opened, by the user's names.
  llvm::Expected<std::vector<std::string>> openedFiles() const;

  /// The temporary names in the last run with the user's names for them.
  const NameTable &names() const { return Names; }

private:
  static void reportFatalError(void *Self, const char *Reason, bool);
  void listNames(const InputFiles &Inputs, const MemoryFile *MarkerArchive);

  const LinkOptions &Options;
  std::string LinkedFile, MapFile;
  MemoryFile Dependencies;
  llvm::raw_ostream &Err;
  std::string MarkerPath;
  NameTable Names;
  NameStream Output, Messages;
};

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_HOSTLINK_H
