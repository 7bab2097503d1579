//===- CkJit/Rewrite/Rewriter.h - dispatchers that call stubs ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Source to source: every use of a specialisation that a blob defines becomes a
// typed call through a slot of kpack/CkJit/Runtime.h. Three forms:
//   leaf    f_<trait_>(s, a) -> ck_jit_call<float (...)>(ck_jit_stub::x, s, a)
//   helper  a function template, of a header too, that exists only to pass its
//           arguments on to such specialisations becomes one function with
//           slots as parameters; slots that belong together are made ready
//           before the first is used
//   rest    (other templates, addresses taken) an explicit specialisation in
//           front of the first function calls the slot
// Types and constants that nothing uses any more are dropped.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_REWRITE_REWRITER_H
#define KPACK_CKJIT_REWRITE_REWRITER_H

#include "CkJit/Rewrite/Index.h"
#include "llvm/ADT/StringSet.h"

namespace kpack::ckjit {

struct RewriteOptions {
  /// Else-if chains of leaves become tables that are searched at run time.
  bool Table = false;
  /// Style of changed lines, as for clang-format -style=; empty: as they come.
  std::string FormatStyle = "{BasedOnStyle: LLVM, IndentWidth: 4, "
                            "ColumnLimit: 120}";
  /// Emit #line, so that messages on functions that were not changed name the
  /// original's lines.
  bool LineDirectives = true;
  /// Symbols that other objects of the link define: not asked of a blob.
  llvm::StringSet<> Elsewhere;
  /// What the result includes for ck_jit_call.
  std::string RuntimeHeader = "kpack/CkJit/Runtime.h";
};

struct RewriteReport {
  unsigned References = 0; ///< distinct symbols
  unsigned Leaves = 0;     ///< calls in place
  unsigned Helpers = 0;    ///< calls of helpers that pass slots now
  unsigned Specialized = 0;
  unsigned Dropped = 0; ///< declarations that nothing used any more
  unsigned Tables = 0, TableRows = 0;
  /// "file:line:column: what; why", for all that stayed as it was.
  std::vector<std::string> Notes;
  llvm::json::Value toJson() const;
};

struct RewriteResult {
  std::string Code;
  std::vector<Reference> References;
  RewriteReport Report;
};

/// Rewrites the dispatcher \p Path. An error if it does not compile, or if a
/// reference has no blob (all of them are listed).
llvm::Expected<RewriteResult> rewriteDispatcher(llvm::StringRef Path,
                                                const BlobIndex &Blobs,
                                                const SourceOptions &Source,
                                                const RewriteOptions &Options);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_REWRITE_REWRITER_H
