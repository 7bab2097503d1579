//===- BlobIndex.cpp - functions defined by kernel sources ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing a header that every blob includes costs more than the blob itself, so
// all blobs are parsed as one translation unit. Each defines the same names for
// its types ("using trait_0 = ...", or a class in an unnamed namespace): in the
// parsed copy such a name gets the blob's number, and parts that only bodies
// need are left out (SourceReduction.h). Blobs that still conflict are parsed
// separately and unchanged.
//
//===----------------------------------------------------------------------===//
#include "Constants.h"
#include "Definitions.h"
#include "Parse.h"
#include "SourceReduction.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;
using llvm::ArrayRef;
using llvm::StringRef;

namespace kpack::ckjit {

class BlobIndexBuilder {
public:
  BlobIndexBuilder(ArrayRef<std::string> Blobs, const SourceOptions &Options)
      : Blobs(Blobs), Options(Options) {}
  llvm::Expected<BlobIndex> build();

private:
  /// Starts again; \p Short leaves out the parts that only bodies need.
  llvm::Error readBlobs(bool Short);
  llvm::Expected<std::string> read(unsigned Index) const;
  llvm::Error parseAlone(unsigned Index);
  void collect(ASTContext &Context);
  std::vector<ParseProblem> parseAll();
  llvm::Error parseFailed(ArrayRef<ParseProblem> Problems);
  llvm::Error evaluateConstants();

  ArrayRef<std::string> Blobs;
  const SourceOptions &Options;
  std::vector<VirtualFile> Files;
  llvm::StringMap<unsigned> NumberOf; ///< by absolute path
  llvm::StringSet<> WorthALook;       ///< blobs that may return constants
  bool IsDoubtful = false;            ///< a body that was left out is needed
  BlobIndex Index;
};

static llvm::SmallString<256> absolute(StringRef Blob) {
  llvm::SmallString<256> Path(Blob);
  llvm::sys::fs::make_absolute(Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/false);
  return Path;
}

llvm::Error BlobIndexBuilder::readBlobs(bool Short) {
  Files.clear();
  NumberOf.clear();
  WorthALook.clear();
  Index = BlobIndex();
  for (const std::string &Blob : Blobs) {
    llvm::SmallString<256> Path = absolute(Blob);
    if (!NumberOf.try_emplace(Path, Files.size()).second)
      return llvm::createStringError(Blob + ": given twice; name it once");
    Files.push_back({Path.str().str(), ""});
    llvm::Expected<std::string> Text = read(Files.size() - 1);
    if (!Text)
      return Text.takeError();
    Files.back().Text = Short ? withoutBodies(*Text) : std::move(*Text);
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> BlobIndexBuilder::read(unsigned Index) const {
  auto Buffer = llvm::MemoryBuffer::getFile(Files[Index].Path);
  if (!Buffer)
    return llvm::createStringError(
        Buffer.getError(), Blobs[Index] + ": " + Buffer.getError().message() +
                               "; name a readable blob");
  return withOwnNames((*Buffer)->getBuffer(), Index);
}

void BlobIndexBuilder::collect(ASTContext &Context) {
  SourceManager &Sources = Context.getSourceManager();
  // Returns the blob that contains \p Where, or null.
  auto BlobAt = [&](SourceLocation Where) -> const std::string * {
    auto Known = NumberOf.find(getFile(Sources, Where));
    return Known == NumberOf.end() ? nullptr : &Blobs[Known->second];
  };
  findDefinitions(
      Context,
      [&](const FoundFunction &F) {
        const std::string *Source = BlobAt(F.Where);
        if (!Source)
          return;
        Index.Definitions.push_back({F.Symbol,
                                     readableName(F.Function),
                                     getSignature(F.Function),
                                     *Source,
                                     llvm::sys::path::stem(*Source).str(),
                                     F.Weak,
                                     {}});
        // The tokens do not show the expansion of a macro.
        IsDoubtful |= F.Function->getTemplateSpecializationKind() ==
                          TSK_ExplicitSpecialization &&
                      (F.Function->isConstexpr() ||
                       F.Function->getReturnType()->getContainedAutoType());
        if (mayReturnConstant(F.Function, Sources))
          WorthALook.insert(*Source);
      },
      [&](const FoundVariable &V) {
        if (const std::string *Source = BlobAt(V.Where))
          Index.Data.push_back({V.Symbol, V.Name, *Source,
                                llvm::sys::path::stem(*Source).str()});
      });
}

llvm::Error BlobIndexBuilder::parseAlone(unsigned Index) {
  const std::string &Path = Files[Index].Path;
  std::vector<ParseProblem> Problems =
      parseSource(Path, Options, {}, /*SkipBodies=*/true,
                  [&](ASTContext &Context) { collect(Context); });
  return Problems.empty() ? llvm::Error::success()
                          : toError(Blobs[Index], Problems);
}

llvm::Error BlobIndexBuilder::evaluateConstants() {
  std::vector<VirtualFile> Worth;
  for (unsigned I = 0; I < Files.size(); ++I) {
    if (!WorthALook.contains(Blobs[I]))
      continue;
    llvm::Expected<std::string> Text = read(I);
    if (!Text)
      return Text.takeError();
    Worth.push_back({Files[I].Path, std::move(*Text)});
  }
  llvm::StringMap<ConstantResult> Known = findConstants(Worth, Options);
  for (Definition &D : Index.Definitions)
    if (auto Found = Known.find(D.Symbol); Found != Known.end())
      D.Constant = Found->second;
  return llvm::Error::success();
}

std::vector<ParseProblem> BlobIndexBuilder::parseAll() {
  return parseTogether(Files, Options,
                       [&](ASTContext &Context) { collect(Context); });
}

llvm::Error BlobIndexBuilder::parseFailed(ArrayRef<ParseProblem> Problems) {
  // An error in a header (which has no number) may come from any blob.
  llvm::StringSet<> Failed;
  bool Everyone = false;
  for (const ParseProblem &P : Problems)
    if (NumberOf.contains(P.File))
      Failed.insert(P.File);
    else
      Everyone = true;
  auto IsFailed = [&](const auto &D) {
    return Everyone || Failed.contains(absolute(D.Source));
  };
  llvm::erase_if(Index.Definitions, IsFailed);
  llvm::erase_if(Index.Data, IsFailed);
  for (unsigned I = 0; I < Files.size(); ++I)
    if (Everyone || Failed.contains(Files[I].Path))
      if (llvm::Error E = parseAlone(I))
        return E;
  return llvm::Error::success();
}

llvm::Expected<BlobIndex> BlobIndexBuilder::build() {
  if (llvm::Error E = readBlobs(/*Short=*/!Options.Thorough))
    return E;
  if (Files.empty())
    return std::move(Index);
  std::vector<ParseProblem> Problems = parseAll();
  if (!Options.Thorough && (IsDoubtful || !Problems.empty())) {
    if (llvm::Error E = readBlobs(/*Short=*/false))
      return E;
    Problems = parseAll();
  }
  if (llvm::Error E = parseFailed(Problems))
    return E;
  if (llvm::Error E = evaluateConstants())
    return E;
  BlobIndex Checked;
  if (llvm::Error E = Checked.merge(std::move(Index)))
    return E;
  return std::move(Checked);
}

} // namespace kpack::ckjit

llvm::Expected<BlobIndex> BlobIndex::build(ArrayRef<std::string> Blobs,
                                           const SourceOptions &Options) {
  return BlobIndexBuilder(Blobs, Options).build();
}

llvm::Error BlobIndex::add(Definition D) {
  auto [Entry, New] = BySymbol.try_emplace(D.Symbol, Definitions.size());
  // Like a linker: keep the first of several weak definitions; a strong one
  // wins.
  if (!New && (D.Weak || Definitions[Entry->second].Weak)) {
    if (!D.Weak)
      Definitions[Entry->second] = std::move(D);
    return llvm::Error::success();
  }
  if (!New)
    return llvm::createStringError(
        D.Source + ": defines " + D.Name + ", and so does " +
        Definitions[Entry->second].Source + "; give only one of the two");
  Definitions.push_back(std::move(D));
  return llvm::Error::success();
}

void BlobIndex::add(DataDefinition D) {
  if (DataBySymbol.try_emplace(D.Symbol, Data.size()).second)
    Data.push_back(std::move(D));
}

const DataDefinition *BlobIndex::findData(StringRef Symbol) const {
  auto Found = DataBySymbol.find(Symbol);
  return Found == DataBySymbol.end() ? nullptr : &Data[Found->second];
}

llvm::Error BlobIndex::merge(BlobIndex Other) {
  for (Definition &D : Other.Definitions)
    if (llvm::Error E = add(std::move(D)))
      return E;
  for (DataDefinition &D : Other.Data)
    add(std::move(D));
  return llvm::Error::success();
}

void BlobIndex::remove(StringRef Source) {
  auto IsGone = [&](const auto &D) { return D.Source == Source; };
  llvm::erase_if(Definitions, IsGone);
  llvm::erase_if(Data, IsGone);
  BlobIndex Kept;
  llvm::cantFail(Kept.merge(std::move(*this))); // they were distinct before
  *this = std::move(Kept);
}

const Definition *BlobIndex::find(StringRef Symbol) const {
  auto Found = BySymbol.find(Symbol);
  return Found == BySymbol.end() ? nullptr : &Definitions[Found->second];
}

/// Splits a name into the name itself and its template arguments.
static llvm::SmallVector<StringRef, 32> wordsOf(StringRef Name) {
  llvm::SmallVector<StringRef, 32> Parts;
  llvm::SplitString(Name, Parts, "<>, ");
  return Parts;
}

std::vector<std::string> BlobIndex::nearest(const Reference &Wanted,
                                            unsigned Count) const {
  llvm::SmallVector<StringRef, 32> WantedWords = wordsOf(Wanted.Name);
  std::vector<std::pair<unsigned, unsigned>> Scores; // differences, number
  for (auto [Index, D] : llvm::enumerate(Definitions)) {
    llvm::SmallVector<StringRef, 32> Theirs = wordsOf(D.Name);
    if (Theirs.empty() || WantedWords.empty() || Theirs[0] != WantedWords[0])
      continue;
    unsigned Common = std::min(WantedWords.size(), Theirs.size());
    unsigned Score = std::max(WantedWords.size(), Theirs.size()) - Common;
    for (unsigned I = 0; I < Common; ++I)
      Score += WantedWords[I] != Theirs[I];
    Scores.push_back({Score, Index});
  }
  Count = std::min<size_t>(Count, Scores.size());
  std::partial_sort(Scores.begin(), Scores.begin() + Count, Scores.end());
  std::vector<std::string> Names;
  for (unsigned I = 0; I < Count; ++I)
    Names.push_back(Definitions[Scores[I].second].Name + " in " +
                    Definitions[Scores[I].second].Source);
  return Names;
}
