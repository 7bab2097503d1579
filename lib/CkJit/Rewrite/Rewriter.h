//===- Rewrite/Rewriter.h - source rewriter of kernel calls -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A source-to-source rewriter: every use of a specialization that a blob
// defines becomes a typed call through a slot of kpack/CkJit/Runtime.h. Three
// forms:
//   leaf    f_<trait_>(s, a) -> ck_jit_call<float (...)>(ck_jit_stub::x, s, a)
//   helper  a function template, also of a header, that only passes its
//           arguments to such specializations becomes one function with
//           slots as parameters; related slots are made ready before the
//           first is used
//   rest    (other templates, addresses taken) an explicit specialization
//           before the first function calls the slot
// Unused types and constants are removed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_REWRITE_REWRITER_H
#define KPACK_CKJIT_REWRITE_REWRITER_H

#include "CkJit/Rewrite/Index.h"
#include "llvm/ADT/StringSet.h"

namespace kpack::ckjit {

struct RewriteOptions {
  /// Turn else-if chains of leaves into tables that are searched at run time.
  bool Table = false;
  /// Style of changed lines, as for clang-format -style=; empty: unformatted.
  std::string FormatStyle = "{BasedOnStyle: LLVM, IndentWidth: 4, "
                            "ColumnLimit: 120}";
  /// Emit #line, so that messages about unchanged functions have the original's
  /// lines.
  bool LineDirectives = true;
  /// Symbols that other objects of the link define: need no blob.
  llvm::StringSet<> Elsewhere;
  /// The header to include for ck_jit_call.
  std::string RuntimeHeader = "kpack/CkJit/Runtime.h";
};

struct RewriteReport {
  unsigned References = 0; ///< distinct symbols
  unsigned Leaves = 0;     ///< calls in place
  unsigned Helpers = 0;    ///< calls of helpers that now pass slots
  unsigned Specialized = 0;
  unsigned Dropped = 0; ///< removed unused declarations
  unsigned Tables = 0, TableRows = 0;
  /// "file:line:column: what; why", for all that stayed unchanged.
  std::vector<std::string> Notes;
  llvm::json::Value toJson() const;
};

struct RewriteResult {
  std::string Code;
  std::vector<Reference> References;
  RewriteReport Report;
};

/// Rewrites the dispatcher \p Path. Fails if it does not compile, or if
/// references have no blob (and lists all of them).
llvm::Expected<RewriteResult> rewriteDispatcher(llvm::StringRef Path,
                                                const BlobIndex &Blobs,
                                                const SourceOptions &Source,
                                                const RewriteOptions &Options);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_REWRITE_REWRITER_H
