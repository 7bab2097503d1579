//===- Verify/BinaryVerifier.h - one binary that is checked -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is found out of a binary and its archives on the way: VerifyBinary.cpp
// goes it, VerifyTargets.cpp asks whether what there ought to be is there.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_VERIFY_BINARYVERIFIER_H
#define KPACK_TOOL_VERIFY_BINARYVERIFIER_H

#include "Tool/HostBinary.h"
#include "Tool/Verify/Verify.h"
#include "kpack/Archive/ArchiveReader.h"

#include <map>
#include <set>

namespace kpack::tool {

class BinaryVerifier {
public:
  BinaryVerifier(llvm::StringRef Path, const VerifyScope &Scope,
                 llvm::StringRef Original)
      : Object(Path.str()), Scope(Scope), Original(Original.str()) {
    Report.Path = Path.str();
    Report.Kind = "binary";
  }

  VerifyReport run();

private:
  void problem(const llvm::Twine &What) {
    Report.problem(Object + ": " + What);
  }

  void checkLoading();
  bool checkMarker();
  void checkWrappers();
  void findUnits();
  void checkWrapper(size_t Position, const offload::Wrapper &W);
  void checkFatWrapper(const std::string &Name, const offload::Wrapper &W);
  void openArchives();
  void openArchive(const FoundArchive &File);
  void readCodeObjects();
  void noteOlderLoaders();
  void checkCodeObjects();
  void checkBuilt();
  void checkTarget(const std::string &Target);
  void checkGpu(const std::string &Gpu);
  void checkTranslated(const std::string &Gpu);
  void reportTranslated(const std::string &Gpu, size_t Count);
  void checkExpected();
  void reportMissing(const std::string &Targets, llvm::ArrayRef<size_t> Indices,
                     bool AnyThere);
  std::string keyOf(size_t Index) const { return Binary.keyOf(Index); }
  std::string nameOfUnit(size_t Index) const;
  std::vector<std::string> placesOf(llvm::StringRef Target) const;

  std::string Object;
  const VerifyScope &Scope;
  const std::string Original;
  VerifyReport Report;
  HostBinary Binary;
  std::vector<std::unique_ptr<const ArchiveReader>> Archives;
  /// Files that are there and were found wanting, which has been said.
  std::set<std::string> Rejected;
  /// The index that each wrapper ought to have; several may have one.
  std::vector<size_t> UnitOf;
  std::set<size_t> Units;
  /// Those of them that have a code object, by architecture.
  std::map<std::string, std::set<size_t>> Covered;
};

} // namespace kpack::tool

#endif // KPACK_TOOL_VERIFY_BINARYVERIFIER_H
