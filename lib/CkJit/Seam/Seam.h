//===- CkJit/Seam/Seam.h - stubs without touching a source ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The link seam: objects stay as they are, and one assembly stub a function
// that they leave undefined and a blob defines is linked in beside them. A stub
// jumps through its slot; the slot first holds a resolver that saves the
// argument registers, has libckjit find the function, and goes on to it.
// Nothing here knows a signature, so nothing breaks when one changes. A
// function that is known to return a constant is no stub, but that function.
//
// Also what both seam and rewriter (Rewriter.h) need: the manifest of blobs as
// a source file that the library is linked with.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_SEAM_SEAM_H
#define KPACK_CKJIT_SEAM_SEAM_H

#include "CkJit/Manifest/Manifest.h"
#include "CkJit/Rewrite/Index.h"
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

/// Which blob defines a symbol: what `ck-jit index` has written.
class SymbolTable {
public:
  /// Adds a file. Errors: not readable, not of that form, a symbol with two
  /// blobs.
  llvm::Error add(llvm::StringRef Path);

  /// The stem; empty: no blob has it.
  llvm::StringRef blobOf(llvm::StringRef Symbol) const {
    auto Found = Stems.find(Symbol);
    return Found == Stems.end() ? llvm::StringRef() : Found->second;
  }
  /// Null: it has to be called.
  const ConstantResult *constantOf(llvm::StringRef Symbol) const {
    auto Found = Constants.find(Symbol);
    return Found == Constants.end() ? nullptr : &Found->second;
  }
  /// The blob with that variable; empty: there is none.
  llvm::StringRef blobOfData(llvm::StringRef Symbol) const {
    auto Found = DataStems.find(Symbol);
    return Found == DataStems.end() ? llvm::StringRef() : Found->second;
  }
  /// Those that a dispatcher was seen to use, in order.
  std::vector<std::string> symbolsOf(llvm::StringRef Stem) const;
  /// Those of the blob that are linked as numbers, by symbol.
  std::map<std::string, ConstantResult> constantsOf(llvm::StringRef Stem) const;
  size_t size() const { return Stems.size(); }

private:
  llvm::Error addFunctions(llvm::StringRef Path, const llvm::json::Array &List,
                           bool AreUsed);
  llvm::Error addData(llvm::StringRef Path, const llvm::json::Array &List);
  llvm::StringMap<std::string> Stems, DataStems;
  llvm::StringMap<ConstantResult> Constants;
  std::map<std::string, std::set<std::string>> Symbols, ConstantSymbols;
};

/// Blobs with absolute sources, in any form that manifests have.
llvm::Expected<std::vector<BlobRecord>> readManifest(llvm::StringRef Path);

/// What the manifest says; its root is where the running library looks for it.
struct EmbedOptions : ManifestHeader {
  /// Paths below this folder are written relative to the root.
  std::string BuildRoot;
};

/// \p Blobs in order, with their symbols, and with "{root}" for the root's
/// path. Errors: two blobs of one stem.
llvm::Expected<std::vector<BlobRecord>> relocated(std::vector<BlobRecord> Blobs,
                                                  const SymbolTable &Symbols,
                                                  const EmbedOptions &Options);

/// The section of a library that manifestJson() is in, for tools.
inline constexpr llvm::StringLiteral ManifestSection = ".ck_jit_manifest";

/// C++ that defines ck_jit_embedded_manifest and the section; of blobs that
/// relocated() has given.
std::string manifestSource(llvm::ArrayRef<BlobRecord> Blobs,
                           const SymbolTable &Symbols,
                           const EmbedOptions &Options);

/// The same as JSON.
std::string manifestJson(llvm::ArrayRef<BlobRecord> Blobs,
                         const EmbedOptions &Options);

/// The global symbols of an object.
struct ObjectSymbols {
  std::set<std::string> Defined, Undefined;
  bool IsX86 = true; ///< of x86-64, which the seam has stubs for
};

/// Those of an ELF object of x86-64, for messages on what is wrong with it.
llvm::Expected<ObjectSymbols> symbolsOfObject(llvm::StringRef Path);

/// Adds those of an ELF object or of the objects in an archive, as far as they
/// can be read; nothing of any other file.
void addSymbols(llvm::StringRef Path, ObjectSymbols &To);

/// An error that names the first of \p Undefined that is a variable of a blob.
llvm::Error checkNoData(const std::set<std::string> &Undefined,
                        const SymbolTable &Symbols);

/// Assembly (x86-64, GNU syntax) with a stub for each of \p Undefined that
/// \p Symbols has.
std::string seamAssembly(std::set<std::string> Undefined,
                         const SymbolTable &Symbols);

/// `ck-jit seam`: stubs for objects.
int seamMain(llvm::ArrayRef<const char *> Args, llvm::raw_ostream &Out,
             llvm::raw_ostream &Err);

/// `ck-jit embed`: a manifest as a source file.
int embedMain(llvm::ArrayRef<const char *> Args, llvm::raw_ostream &Out,
              llvm::raw_ostream &Err);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_SEAM_SEAM_H
