//===- InputFiles.h - what goes into the link -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the files of the command line as lld does and looks into each object
// and archive member for device code. The search need not be perfect: a file
// missed here (linker scripts, dependent libraries) is seen in lld's dependency
// file afterwards and added then, see Link.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_INPUTFILES_H
#define KPACK_LIB_LINKER_INPUTFILES_H

#include "MemoryFile.h"
#include "Offload/LinkerInput.h"
#include "Options.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/Archive.h"

#include <map>
#include <optional>

namespace kpack::linker {

/// An object or archive member that matters to the kpack step.
struct InputObject {
  std::string Name; // as messages call it: "libx.a(k.o)"
  llvm::MemoryBufferRef Bytes;
  /// Linked only when somebody needs it.
  bool IsLazy = false;
  /// Position in its archive; 0 for an object.
  uint64_t Offset = 0;
  offload::LinkerInput Contents;
};

/// A file as lld opens it.
struct InputFile {
  std::string Path; // on the command line, or found by a search
  /// Other spellings under which lld may open it.
  std::vector<std::string> OtherPaths;
  bool WholeArchive = false;
  bool InLib = false; // between --start-lib and --end-lib
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  std::unique_ptr<llvm::object::Archive> Archive; // null: an object
  std::vector<InputObject> Objects;
  /// Set when an object of it had to be rewritten: what lld gets instead.
  std::optional<MemoryFile> Replacement;

  explicit InputFile(std::string Path) : Path(std::move(Path)) {}
};

/// Whether two TUs have the same device code.
bool sameCode(const offload::DevicePayload &A, const offload::DevicePayload &B);

/// Whether \p Payload is what clang's --hip-link has linked of objects in which
/// it found no device code, such as those of kpack-clang++: code objects
/// without a symbol.
bool isLinkOfNothing(const offload::DevicePayload &Payload);

class InputFiles {
public:
  explicit InputFiles(const LinkOptions &Options) : Options(Options) {}

  /// Reads all files that the command line names.
  llvm::Error addCommandLine();

  /// Reads those of \p Paths, from lld's dependency file, that are new. True
  /// when one of them changes what lld must be given: a rewritten object, or a
  /// symbol for the marker.
  llvm::Expected<bool> addMissed(llvm::ArrayRef<std::string> Paths);

  const std::vector<std::unique_ptr<InputFile>> &files() const { return Files; }

  /// e_machine of the first ELF object; EM_X86_64 when there is none.
  uint16_t machine() const { return Machine.value_or(llvm::ELF::EM_X86_64); }

private:
  llvm::Error read(std::vector<std::unique_ptr<InputFile>> New);
  llvm::Error separateTokens(InputFile &File);

  std::vector<std::string> otherSpellings(llvm::StringRef Path) const;

  const LinkOptions &Options;
  std::vector<std::unique_ptr<InputFile>> Files;
  llvm::StringSet<> Seen; // without "." components
  /// What has the token that is the key, each with other device code.
  struct TokenOwner {
    const offload::DevicePayload *Payload;
    bool IsLazy;
  };
  std::map<uint64_t, std::vector<TokenOwner>> Owners;
  std::optional<uint16_t> Machine;
};

/// The file that lld opens for \p Argument; nothing when there is none.
std::optional<std::string> findInput(const InputArgument &Argument,
                                     const LinkOptions &Options);

/// \p Path as pattern of --remap-inputs=, which splits at '=' and knows globs.
std::string remapPattern(llvm::StringRef Path);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_INPUTFILES_H
