//===- HostLink.h - one run of lld ------------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs lld on the user's command line with three changes: replaced inputs come
// from memory, the marker archive stands at the end, and the output gets a
// temporary name. Messages, map and dependency file speak of the user's names
// all the same.
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
  /// \p LinkedFile and \p MapFile are where lld writes, \p Dependencies is for
  /// its list of files; with an empty \p MapFile there is no map.
  HostLink(const LinkOptions &Options, std::string LinkedFile,
           std::string MapFile, MemoryFile Dependencies, llvm::raw_ostream &Out,
           llvm::raw_ostream &Err)
      : Options(Options), LinkedFile(std::move(LinkedFile)),
        MapFile(std::move(MapFile)), Dependencies(std::move(Dependencies)),
        Err(Err), Output(Out, Names, /*HoldBack=*/false),
        Messages(Err, Names, /*HoldBack=*/true) {}

  /// Links; \p MarkerArchive may be null. Returns lld's exit code. What lld
  /// says from the first undefined __hip_fatbin symbol on is held back until
  /// release() or the next run.
  int run(const InputFiles &Inputs, const MemoryFile *MarkerArchive);

  void release() { Messages.release(); }
  /// lld said that a __hip_fatbin symbol is undefined.
  bool missedFatBin() const { return Messages.missedFatBin(); }
  /// lld said that a __hip_cuid symbol is defined twice.
  bool repeatedCuid() const { return Messages.repeatedCuid(); }

  /// The files that lld opened, by the user's names.
  llvm::Expected<std::vector<std::string>> openedFiles() const;

  /// Our names in the last run, and the user's for them.
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
