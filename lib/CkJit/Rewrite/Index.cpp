//===- Index.cpp - kernel functions by symbol -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index from both ends: findReferences() lists a dispatcher's references,
// BlobIndex (BlobIndex.cpp) the blobs' definitions; the rest compares the two,
// for people and as JSON.
//
// The dispatcher is first parsed from a text shorter than the file
// (SourceReduction.h). If that turns out to be unsafe, parseDispatcher() parses
// the file itself and calls back again; the callback therefore assigns its
// result and never appends. The JSON follows the order of the references and of
// the definitions, so that equal sources give equal files.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Rewrite/Index.h"

#include "References.h"
#include "SourceReduction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kpack;
using namespace kpack::ckjit;
using llvm::ArrayRef;
using llvm::StringRef;

llvm::Expected<std::vector<Reference>>
ckjit::findReferences(StringRef Path, const SourceOptions &Options) {
  std::vector<Reference> References;
  std::vector<VirtualFile> Short;
  std::vector<unsigned> Cut;
  if (!Options.Thorough)
    if (auto Buffer = llvm::MemoryBuffer::getFile(Path); Buffer) {
      llvm::SmallString<256> Absolute(Path);
      llvm::sys::fs::make_absolute(Absolute);
      Short.push_back(
          {Absolute.str().str(), withoutElse((*Buffer)->getBuffer(), Cut)});
    }
  std::vector<ParseProblem> Problems = parseDispatcher(
      Path, Options, Short,
      [&](clang::ASTContext &Context, SharedBodies &Shared) {
        DispatcherUses Uses = collectUses(Context, Shared, Cut);
        References = toReferences(Uses, Context);
        llvm::append_range(References, toOtherReferences(Uses, Context));
      });
  if (!Problems.empty())
    return toError(Path, Problems);
  return References;
}

std::vector<std::string> ckjit::describeMisses(ArrayRef<Reference> References,
                                               const BlobIndex &Blobs) {
  std::vector<std::string> Misses;
  for (const Reference &R : References) {
    if (R.MayBeElsewhere || Blobs.find(R.Symbol))
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

/// Returns "a, b, c and 5 more".
static std::string joinSome(ArrayRef<std::string> Names) {
  constexpr size_t Shown = 5;
  std::string Text = llvm::join(Names.take_front(Shown), ", ");
  if (Names.size() > Shown)
    Text += " and " + std::to_string(Names.size() - Shown) + " more";
  return Text;
}

llvm::Error ckjit::checkAnyFound(StringRef Object,
                                 ArrayRef<Reference> References,
                                 const BlobIndex &Blobs) {
  std::vector<std::string> Wanted, Offered;
  for (const Reference &R : References) {
    if (Blobs.find(R.Symbol))
      return llvm::Error::success();
    Wanted.push_back(R.Name);
  }
  for (const Definition &D : Blobs.definitions())
    Offered.push_back(D.Name);
  return llvm::createStringError(
      Object +
      ": nothing in it can come late: it uses no function that a blob "
      "defines; looked for " +
      (Wanted.empty() ? "functions that it uses and does not define: none"
                      : joinSome(Wanted)) +
      ", in blobs that define " +
      (Offered.empty() ? "no function that others could call"
                       : joinSome(Offered)) +
      "; name the sources that define them as blobs");
}

static llvm::json::Object constantObject(const ConstantResult &C) {
  llvm::json::Object Item{{"kind", C.Kinds[size_t(C.What)]},
                          {"bits", "0x" + llvm::utohexstr(C.Bits)},
                          {"size", C.Size},
                          {"parameters", C.Parameters}};
  if (C.Weak)
    Item["weak"] = true;
  return Item;
}

static llvm::json::Object stubObject(const Definition &D) {
  llvm::json::Object Place{{"symbol", D.Symbol}, {"stem", D.Stem}};
  if (D.Constant)
    Place["constant"] = constantObject(*D.Constant);
  return Place;
}

llvm::json::Value ckjit::toJson(ArrayRef<std::string> Dispatchers,
                                ArrayRef<Reference> References,
                                const BlobIndex &Blobs) {
  llvm::json::Array Stubs, Unused, Late, Data;
  llvm::StringSet<> Used;
  for (const Reference &R : References)
    if (const Definition *D = Blobs.find(R.Symbol)) {
      Used.insert(R.Symbol);
      llvm::json::Object Stub = stubObject(*D);
      Stub["source"] = D->Source;
      Stub["signature"] = R.Signature;
      Stub["name"] = R.Name;
      Stub["location"] = R.Location;
      Stub["sites"] = R.Sites;
      Stubs.push_back(std::move(Stub));
    }
  for (const Definition &D : Blobs.definitions())
    if (!Used.contains(D.Symbol)) {
      Unused.push_back(D.Symbol);
      Late.push_back(stubObject(D));
    }
  for (const DataDefinition &D : Blobs.data())
    Data.push_back(llvm::json::Object{{"symbol", D.Symbol}, {"stem", D.Stem}});
  return llvm::json::Object{{"schema", "ck-jit-index 1"},
                            {"dispatchers", llvm::json::Array(Dispatchers)},
                            {"stubs", std::move(Stubs)},
                            {"unused", std::move(Unused)},
                            {"late", std::move(Late)},
                            {"data", std::move(Data)}};
}
