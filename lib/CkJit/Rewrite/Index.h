//===- CkJit/Rewrite/Index.h - kernel functions by symbol -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dispatcher references functions that it does not define; a blob defines
// them: explicit specializations, explicit instantiations, plain functions.
// Both sides use mangled names, so that no text is compared; the name is the
// ELF symbol that the runtime looks up. See also Rewriter.h, which replaces the
// references by stubs, and Seam.h, which links stubs.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_REWRITE_INDEX_H
#define KPACK_CKJIT_REWRITE_INDEX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kpack::ckjit {

/// Options for parsing sources.
struct SourceOptions {
  /// The clang++ with the builtin headers; empty: the one that built kpack.
  std::string Clang;
  /// Flags of a compile; -c, -o and dependency files are ignored, and only the
  /// host half of HIP sources is parsed.
  std::vector<std::string> Flags;
  /// Takes no short cuts: instantiates each body, and parses every file
  /// unchanged. The results are equal, but take longer.
  bool Thorough = false;
};

/// The constant result of a function, known when it is indexed.
struct ConstantResult {
  enum class Kind { Integer, Float, Double };
  Kind What = Kind::Integer;
  uint64_t Bits = 0; ///< integers are extended to 64 bits by their signedness
  unsigned Size = 0; ///< bytes; 0: from an older index, not compared
  unsigned Parameters = 0; ///< with the object of a member function
  /// Its file may lack it: inline, instantiated, or not externally visible.
  bool Weak = false;

  /// Names in the index, by What.
  static constexpr llvm::StringLiteral Kinds[] = {"integer", "float", "double"};
};

/// A function that a blob defines.
struct Definition {
  std::string Symbol;    ///< mangled
  std::string Name;      ///< for readers: "f<traits<8, true>>"
  std::string Signature; ///< "float (const stream &, args)"
  std::string Source;    ///< the blob, as given
  std::string Stem;      ///< its file name without folder and extension
  bool Weak = false;     ///< inline or instantiated: others may define it too
  std::optional<ConstantResult> Constant;
};

/// A variable that a blob defines: its address cannot come late.
struct DataDefinition {
  std::string Symbol;
  std::string Name;
  std::string Source;
  std::string Stem;
};

/// A function that a dispatcher references and does not define.
struct Reference {
  std::string Symbol;
  std::string Name;
  std::string Signature;
  std::string Location; ///< first use, "file:line:column"
  unsigned Sites = 0;   ///< number of uses
  /// False for a specialization of an undefined template; other functions that
  /// no blob defines may be in another object or library.
  bool MayBeElsewhere = false;
};

/// Definitions of many blobs, by symbol.
class BlobIndex {
public:
  /// Parses \p Blobs without function bodies, in one translation unit;
  /// conflicting ones again separately. Errors name file and line; two blobs
  /// with one symbol that is not weak are an error.
  static llvm::Expected<BlobIndex> build(llvm::ArrayRef<std::string> Blobs,
                                         const SourceOptions &Options);

  /// Adds the definitions of \p Other: blobs with other flags. Two blobs with
  /// one symbol are an error.
  llvm::Error merge(BlobIndex Other);

  /// Removes the definitions of \p Source, as given.
  void remove(llvm::StringRef Source);

  const Definition *find(llvm::StringRef Symbol) const;
  llvm::ArrayRef<Definition> definitions() const { return Definitions; }

  /// Returns null if no blob has such a variable.
  const DataDefinition *findData(llvm::StringRef Symbol) const;
  llvm::ArrayRef<DataDefinition> data() const { return Data; }

  /// Returns up to \p Count names of definitions, nearest to \p Wanted first.
  std::vector<std::string> nearest(const Reference &Wanted,
                                   unsigned Count = 3) const;

private:
  friend class BlobIndexBuilder;
  llvm::Error add(Definition D);
  void add(DataDefinition D);
  std::vector<Definition> Definitions;
  llvm::StringMap<unsigned> BySymbol;
  std::vector<DataDefinition> Data;
  llvm::StringMap<unsigned> DataBySymbol;
};

/// Returns the references of the dispatcher \p Path, in the order of first use;
/// those that may be elsewhere are last.
llvm::Expected<std::vector<Reference>>
findReferences(llvm::StringRef Path, const SourceOptions &Options);

/// Returns "file:line:column: no blob defines <name>; nearest: ..." for every
/// reference that neither \p Blobs nor other objects define.
std::vector<std::string> describeMisses(llvm::ArrayRef<Reference> References,
                                        const BlobIndex &Blobs);

/// Fails with "<object>: nothing ..." if \p Blobs define none of \p References;
/// the message lists both.
llvm::Error checkAnyFound(llvm::StringRef Object,
                          llvm::ArrayRef<Reference> References,
                          const BlobIndex &Blobs);

/// Returns {"schema", "dispatchers", "stubs": [{"symbol", "stem", "source",
/// "signature", "name", "location", "sites"}], "unused": [symbol], "late":
/// [unused functions, as {"symbol", "stem"}], "data": [variables, likewise]}. A
/// function that returns a constant has "constant": {"kind", "bits", "size",
/// "parameters"}.
llvm::json::Value toJson(llvm::ArrayRef<std::string> Dispatchers,
                         llvm::ArrayRef<Reference> References,
                         const BlobIndex &Blobs);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_REWRITE_INDEX_H
