//===- CkJit/Rewrite/Index.h - which blob has which function ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dispatcher refers to functions that it does not define; a blob defines
// them: explicit specialisations, explicit instantiations, plain functions.
// Both sides are named by their mangled name, so that no text is compared, and
// the name is the ELF symbol that the runtime asks for. Next: Rewriter.h, which
// puts stubs in the place of the references, and Seam.h, which links stubs.
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

/// How sources are parsed.
struct SourceOptions {
  /// The clang++ whose builtin headers are used; empty: the one that kpack was
  /// built with.
  std::string Clang;
  /// Flags as for a compile; -c, -o and dependency files are ignored, and of
  /// HIP only the host's half is parsed.
  std::vector<std::string> Flags;
  /// Take no short cut: an instantiation's body is made for each, and every
  /// file parsed as it is. Results are the same, and late.
  bool Thorough = false;
};

/// What a function returns whatever it is given: known when it is indexed.
struct ConstantResult {
  enum class Kind { Integer, Float, Double };
  Kind What = Kind::Integer;
  uint64_t Bits = 0;       ///< integers extended to 64 bits by their own sign
  unsigned Size = 0;       ///< bytes; 0: of an older index, not compared
  unsigned Parameters = 0; ///< with the object of a member function
  /// Its file need not have it: inline, instantiated, or nobody else's.
  bool Weak = false;

  /// In the index, by What.
  static constexpr llvm::StringLiteral Kinds[] = {"integer", "float", "double"};
};

/// A function that a blob defines.
struct Definition {
  std::string Symbol;    ///< mangled
  std::string Name;      ///< for readers: "f<traits<8, true>>"
  std::string Signature; ///< "float (const stream &, args)"
  std::string Source;    ///< the blob, as it was given
  std::string Stem;      ///< its file name without folder and extension
  bool Weak = false;     ///< inline or instantiated: others may define it too
  std::optional<ConstantResult> Constant;
};

/// A variable that a blob defines: its address cannot be had late.
struct DataDefinition {
  std::string Symbol;
  std::string Name;
  std::string Source;
  std::string Stem;
};

/// A function that a dispatcher refers to and does not define.
struct Reference {
  std::string Symbol;
  std::string Name;
  std::string Signature;
  std::string Location; ///< first use, "file:line:column"
  unsigned Sites = 0;   ///< number of uses
  /// No specialisation of a template without a definition: when no blob has
  /// it, another object or library will.
  bool MayBeElsewhere = false;
};

/// Definitions of many blobs, by symbol.
class BlobIndex {
public:
  /// Parses \p Blobs without function bodies: all in one translation unit, and
  /// those that cannot stand together once more alone. An error names the file
  /// and the line; two blobs with one symbol are an error, unless it is weak.
  static llvm::Expected<BlobIndex> build(llvm::ArrayRef<std::string> Blobs,
                                         const SourceOptions &Options);

  /// Takes over what \p Other has: blobs that are compiled with other flags.
  /// Two blobs with one symbol are an error.
  llvm::Error merge(BlobIndex Other);

  /// Forgets what \p Source, as it was given, defines.
  void remove(llvm::StringRef Source);

  const Definition *find(llvm::StringRef Symbol) const;
  llvm::ArrayRef<Definition> definitions() const { return Definitions; }

  /// Null if no blob has such a variable.
  const DataDefinition *findData(llvm::StringRef Symbol) const;
  llvm::ArrayRef<DataDefinition> data() const { return Data; }

  /// Up to \p Count names of definitions, nearest to \p Wanted first.
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

/// What the dispatcher \p Path needs, in the order of first use; those that may
/// be elsewhere at the end.
llvm::Expected<std::vector<Reference>>
findReferences(llvm::StringRef Path, const SourceOptions &Options);

/// "file:line:column: no blob defines <name>; nearest: ..." for every reference
/// that \p Blobs does not have, and nobody else either.
std::vector<std::string> describeMisses(llvm::ArrayRef<Reference> References,
                                        const BlobIndex &Blobs);

/// An error where \p Blobs have none of \p References: "<object>: nothing ...",
/// with what was looked for, and where.
llvm::Error checkAnyFound(llvm::StringRef Object,
                          llvm::ArrayRef<Reference> References,
                          const BlobIndex &Blobs);

/// {"schema", "dispatchers", "stubs": [{"symbol", "stem", "source",
/// "signature", "name", "location", "sites"}], "unused": [symbol], "late":
/// [what is unused, as {"symbol", "stem"}], "data": [variables, likewise]}. A
/// function that returns a constant has "constant": {"kind", "bits", "size",
/// "parameters"}.
llvm::json::Value toJson(llvm::ArrayRef<std::string> Dispatchers,
                         llvm::ArrayRef<Reference> References,
                         const BlobIndex &Blobs);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_REWRITE_INDEX_H
