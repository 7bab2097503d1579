//===- Verify/BinaryVerifier.h - state of verifying a binary ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of checking a binary and its archives. VerifyBinary.cpp runs the
// checks; VerifyTargets.cpp checks that all required code is there.
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
  void problem(const llvm::Twine &Message) {
    Report.problem(Object + ": " + Message);
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
  std::string getKey(size_t Index) const { return Binary.getKey(Index); }
  std::string nameOfUnit(size_t Index) const;
  std::vector<std::string> getPlaces(llvm::StringRef Target) const;

  std::string Object;
  const VerifyScope &Scope;
  const std::string Original;
  VerifyReport Report;
  HostBinary Binary;
  std::vector<std::unique_ptr<const ArchiveReader>> Archives;
  /// Existing files with problems, which have been reported.
  std::set<std::string> Rejected;
  /// The correct index of each wrapper; several may have one.
  std::vector<size_t> UnitOf;
  std::set<size_t> Units;
  /// The units with a code object, by architecture.
  std::map<std::string, std::set<size_t>> Covered;
};

} // namespace kpack::tool

#endif // KPACK_TOOL_VERIFY_BINARYVERIFIER_H
