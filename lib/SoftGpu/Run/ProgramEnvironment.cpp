//===- ProgramEnvironment.cpp - variables for the user's program ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LD_PRELOAD names two small libraries: the front of the emulated driver, which
// loads the driver itself once a program uses a GPU, and the shim, which must
// come before the HIP runtime however that is loaded.
//
//===----------------------------------------------------------------------===//
#include "ProgramEnvironment.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace kpack;
using namespace llvm;

void run::setVariable(const char *Name, const std::string &Value) {
  ::setenv(Name, Value.c_str(), /*overwrite=*/1);
}

void run::setDefault(const char *Name, const std::string &Value) {
  ::setenv(Name, Value.c_str(), /*overwrite=*/0);
}

void run::putBefore(const char *Name, StringRef First) {
  const char *Old = std::getenv(Name);
  setVariable(Name, Old && *Old ? (First + ":" + Old).str() : First.str());
}

static Expected<std::string> findLibrary(StringRef Folder, StringRef Name,
                                         StringRef Target) {
  SmallString<256> Path = Folder;
  sys::path::append(Path, Name);
  if (!sys::fs::exists(Path))
    return objectError(Path,
                       "missing; build or install '" + Target + "' of kpack");
  return Path.str().str();
}

/// Lets the shim come before a shared AddressSanitizer runtime, which refuses
/// to start after a library that could take functions from it. The shim takes
/// none that the runtime needs first.
static void allowShimBeforeSanitizer() {
  constexpr char Name[] = "ASAN_OPTIONS", Option[] = "verify_asan_link_order";
  StringRef Old = std::getenv(Name) ? std::getenv(Name) : "";
  if (!Old.contains(Option))
    run::setVariable(
        Name, (Twine(Old) + (Old.empty() ? "" : ":") + Option + "=0").str());
}

Error run::setLibraries(StringRef LibraryFolder) {
  if (LibraryFolder.find_first_of(" \t\n:;") != StringRef::npos)
    return objectError(
        LibraryFolder,
        "a space, colon or semicolon, which the dynamic linker's "
        "variables cannot express; move kpack to another folder");
  if (auto Driver =
          findLibrary(LibraryFolder, "libsoftgpu_driver.so", "softgpu_driver");
      !Driver)
    return Driver.takeError();
  auto Border = findLibrary(LibraryFolder, "libsoftgpu_kfd.so", "softgpu_kfd");
  if (!Border)
    return Border.takeError();
  auto Shim = findLibrary(LibraryFolder, "libkpack_hip.so.0", "kpack_hip");
  if (!Shim)
    return Shim.takeError();
  putBefore("LD_PRELOAD", *Border + ":" + *Shim);
  allowShimBeforeSanitizer();
  return Error::success();
}
