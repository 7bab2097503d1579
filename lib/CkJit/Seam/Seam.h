//===- CkJit/Seam/Seam.h - assembly stubs of undefined kernels --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The link seam: objects stay unchanged, and an assembly stub for each function
// that they leave undefined and a blob defines is linked with them. A stub
// jumps through its slot; the slot first holds a resolver that saves the
// argument registers, calls libckjit to find the function, and jumps to it. The
// seam does not depend on signatures. For a function with a known constant
// result, a function that returns it is emitted instead of a stub.
//
// Also the common need of seam and rewriter (Rewriter.h): the manifest of blobs
// as a source file for the library.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_SEAM_SEAM_H
#define KPACK_CKJIT_SEAM_SEAM_H

#include "CkJit/Manifest/Manifest.h"
#include "CkJit/Rewrite/Index.h"
#include "ToolSupport/Commands.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kpack::ckjit {

/// The blobs of symbols, as written by `ck-jit index`.
class SymbolTable {
public:
  /// Adds a file. Errors: not readable, not of that form, a symbol in two
  /// blobs.
  llvm::Error add(llvm::StringRef Path);

  /// Returns the stem; empty if no blob has it.
  llvm::StringRef getBlob(llvm::StringRef Symbol) const {
    auto Found = Stems.find(Symbol);
    return Found == Stems.end() ? llvm::StringRef() : Found->second;
  }
  /// Returns null if it has to be called.
  const ConstantResult *findConstant(llvm::StringRef Symbol) const {
    auto Found = Constants.find(Symbol);
    return Found == Constants.end() ? nullptr : &Found->second;
  }
  /// Returns the blob with that variable, or empty.
  llvm::StringRef blobOfData(llvm::StringRef Symbol) const {
    auto Found = DataStems.find(Symbol);
    return Found == DataStems.end() ? llvm::StringRef() : Found->second;
  }
  /// Returns the symbols that a dispatcher uses, in order.
  std::vector<std::string> getSymbols(llvm::StringRef Stem) const;
  /// Returns the blob's constants that are linked as numbers, by symbol.
  std::map<std::string, ConstantResult>
  getConstants(llvm::StringRef Stem) const;
  size_t size() const { return Stems.size(); }

private:
  llvm::Error addFunctions(llvm::StringRef Path, const llvm::json::Array &List,
                           bool AreUsed);
  llvm::Error addData(llvm::StringRef Path, const llvm::json::Array &List);
  llvm::StringMap<std::string> Stems, DataStems;
  llvm::StringMap<ConstantResult> Constants;
  std::map<std::string, std::set<std::string>> Symbols, ConstantSymbols;
};

/// Returns blobs with absolute sources; accepts all forms of manifests.
llvm::Expected<std::vector<BlobRecord>> readManifest(llvm::StringRef Path);

/// The header of the manifest; its root is the one for the running library.
struct EmbedOptions : ManifestHeader {
  /// Paths below this folder become relative to the root.
  std::string BuildRoot;
};

/// Returns \p Blobs in order, with their symbols, and with "{root}" for the
/// root's path. Errors: two blobs of one stem.
llvm::Expected<std::vector<BlobRecord>> relocated(std::vector<BlobRecord> Blobs,
                                                  const SymbolTable &Symbols,
                                                  const EmbedOptions &Options);

/// The library section with manifestJson(), for tools.
inline constexpr llvm::StringLiteral ManifestSection = ".ck_jit_manifest";

/// Returns C++ that defines ck_jit_embedded_manifest and the section, for blobs
/// of relocated().
std::string manifestSource(llvm::ArrayRef<BlobRecord> Blobs,
                           const SymbolTable &Symbols,
                           const EmbedOptions &Options);

/// Returns the same as JSON.
std::string manifestJson(llvm::ArrayRef<BlobRecord> Blobs,
                         const EmbedOptions &Options);

/// The global symbols of an object.
struct ObjectSymbols {
  std::set<std::string> Defined, Undefined;
  bool IsX86 = true; ///< x86-64, for which the seam has stubs
};

/// Returns the symbols of an x86-64 ELF object. Errors describe its defect.
llvm::Expected<ObjectSymbols> symbolsOfObject(llvm::StringRef Path);

/// Adds the symbols of an ELF object or of the objects in an archive, as far as
/// they can be read; ignores other files.
void addSymbols(llvm::StringRef Path, ObjectSymbols &Symbols);

/// Fails if one of \p Undefined is a variable of a blob, and names the first.
llvm::Error checkNoData(const std::set<std::string> &Undefined,
                        const SymbolTable &Symbols);

/// Returns assembly (x86-64, GNU syntax) with a stub for each of \p Undefined
/// in \p Symbols.
std::string seamAssembly(std::set<std::string> Undefined,
                         const SymbolTable &Symbols);

/// `ck-jit seam`: writes stubs for objects.
extern const Command SeamVerb;

/// `ck-jit embed`: writes a manifest as a source file.
extern const Command EmbedVerb;

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_SEAM_SEAM_H
