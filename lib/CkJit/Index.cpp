//===- Index.cpp - references matched with definitions --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kpack/CkJit/Index.h"
#include "References.h"
#include "llvm/ADT/StringSet.h"

using namespace kpack;
using namespace kpack::ckjit;
using llvm::ArrayRef;
using llvm::StringRef;

llvm::Expected<std::vector<Reference>>
ckjit::findReferences(StringRef Path, const SourceOptions &Options) {
  std::vector<Reference> References;
  std::vector<ParseProblem> Problems = parseSource(
      Path, Options, {}, /*SkipBodies=*/false, [&](clang::ASTContext &Context) {
        References = toReferences(collectUses(Context), Context);
      });
  if (!Problems.empty())
    return toError(Path, Problems);
  return References;
}

std::vector<std::string> ckjit::describeMisses(ArrayRef<Reference> References,
                                               const BlobIndex &Blobs) {
  std::vector<std::string> Misses;
  for (const Reference &R : References) {
    if (Blobs.find(R.Symbol))
      continue;
    std::string Text = R.Location + ": no blob defines " + R.Name;
    std::vector<std::string> Nearest = Blobs.nearest(R);
    Text += Nearest.empty() ? "; give the blobs that have this function"
                            : "; generate the missing blob; nearest are";
    for (const std::string &N : Nearest)
      Text += "\n  " + N;
    Misses.push_back(std::move(Text));
  }
  return Misses;
}

llvm::json::Value ckjit::toJson(ArrayRef<std::string> Dispatchers,
                                ArrayRef<Reference> References,
                                const BlobIndex &Blobs) {
  llvm::json::Array Stubs, Unused;
  llvm::StringSet<> Used;
  for (const Reference &R : References)
    if (const Definition *D = Blobs.find(R.Symbol)) {
      Used.insert(R.Symbol);
      Stubs.push_back(llvm::json::Object{{"symbol", D->Symbol},
                                         {"stem", D->Stem},
                                         {"source", D->Source},
                                         {"signature", R.Signature},
                                         {"name", R.Name},
                                         {"location", R.Location},
                                         {"sites", R.Sites}});
    }
  for (const Definition &D : Blobs.definitions())
    if (!Used.contains(D.Symbol))
      Unused.push_back(D.Symbol);
  return llvm::json::Object{{"schema", "ck-jit-index 1"},
                            {"dispatchers", llvm::json::Array(Dispatchers)},
                            {"stubs", std::move(Stubs)},
                            {"unused", std::move(Unused)}};
}
