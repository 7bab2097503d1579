//===- InputFiles.h - link inputs that have device code ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the files of the command line like lld and searches each object and
// archive member for device code. The search need not be complete: files that
// it misses (linker scripts, dependent libraries) are added later from lld's
// dependency file, see Link.cpp.
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

/// An object or archive member that the kpack step uses.
struct InputObject {
  std::string Name; // the name in messages: "libx.a(k.o)"
  llvm::MemoryBufferRef Bytes;
  /// Linked only if another object needs it.
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
  /// The bytes that lld gets instead, if an object of the file was rewritten.
  std::optional<MemoryFile> Replacement;

  explicit InputFile(std::string Path) : Path(std::move(Path)) {}
};

/// True if two TUs have the same device code.
bool sameCode(const offload::DevicePayload &A, const offload::DevicePayload &B);

/// True if \p Payload is the output of clang's --hip-link for objects in which
/// it found no device code, such as those of kpack-clang++: code objects
/// without a symbol.
bool isLinkOfNothing(const offload::DevicePayload &Payload);

class InputFiles {
public:
  explicit InputFiles(const LinkOptions &Options) : Options(Options) {}

  /// Reads all files that the command line names.
  llvm::Error addCommandLine();

  /// Reads the files among \p Paths, from lld's dependency file, that are new.
  /// Returns true if one of them changes the inputs of lld: a rewritten object,
  /// or a symbol for the marker.
  llvm::Expected<bool> addMissed(llvm::ArrayRef<std::string> Paths);

  const std::vector<std::unique_ptr<InputFile>> &files() const { return Files; }

  /// e_machine of the first ELF object; EM_X86_64 if there is none.
  uint16_t machine() const { return Machine.value_or(llvm::ELF::EM_X86_64); }

private:
  llvm::Error read(std::vector<std::unique_ptr<InputFile>> New);
  llvm::Error separateTokens(InputFile &File);

  std::vector<std::string> otherSpellings(llvm::StringRef Path) const;

  const LinkOptions &Options;
  std::vector<std::unique_ptr<InputFile>> Files;
  llvm::StringSet<> Seen; // without "." components
  /// An owner of a token; the owners of one token have different device code.
  struct TokenOwner {
    const offload::DevicePayload *Payload;
    bool IsLazy;
  };
  std::map<uint64_t, std::vector<TokenOwner>> Owners;
  std::optional<uint16_t> Machine;
};

/// Returns the file that lld opens for \p Argument, if any.
std::optional<std::string> findInput(const InputArgument &Argument,
                                     const LinkOptions &Options);

/// Returns \p Path as a pattern for --remap-inputs=, which splits at '=' and
/// expands globs.
std::string remapPattern(llvm::StringRef Path);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_INPUTFILES_H
