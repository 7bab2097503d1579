//===- OlderLoaders.cpp - archives that fail in older loaders -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tool/Verify/OlderLoaders.h"

#include "Runtime/ArchiveSearch.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

std::optional<std::string>
tool::olderLoadersStop(ArrayRef<const ArchiveReader *> Archives,
                       ArrayRef<std::string> Targets, StringRef Key) {
  const ArchiveReader *Stop = nullptr;
  std::string StopTarget;
  for (const std::string &Target : Targets)
    for (const ArchiveReader *Archive : Archives) {
      if (!runtime::hasTarget(*Archive, Target))
        continue;
      bool HasCode = Archive->find(Key, Target) != nullptr;
      if (HasCode && !Stop)
        return std::nullopt;
      if (HasCode)
        return "older loaders of ROCm stop at " + Stop->path() +
               ", which has " + StopTarget + " but not '" + Key.str() +
               "', and do not reach " + Archive->path() +
               "; put both into one archive with 'kpack merge'";
      if (!Stop) {
        Stop = Archive;
        StopTarget = Target;
      }
    }
  return std::nullopt;
}
