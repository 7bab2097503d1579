//===- DoctorShim.cpp - doctor's search for libkpack_hip.so ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP runtimes that support archives load host-only binaries. No runtime
// supports the references that pack-tree leaves in place of code objects:
// loading one by its name, or from a mapped file, needs the shim, and otherwise
// fails with an unspecific error. The dynamic linker ignores a missing library
// in LD_PRELOAD, so the variable alone proves nothing.
//
//===----------------------------------------------------------------------===//
#include "Support/InstallLayout.h"
#include "Tool/Doctor/DoctorBinary.h"
#include "Tool/Doctor/NeededLibraries.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

/// Returns the library next to this program, as in the package.
static std::string shimOfInstallation() {
  static const int InThisProgram = 0;
  SmallString<256> Path(sys::path::parent_path(
      sys::fs::getMainExecutable("kpack", const_cast<int *>(&InThisProgram))));
  sys::path::append(Path, librariesFromPrograms(), "libkpack_hip.so.0");
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return sys::fs::exists(Path) ? Path.str().str() : "";
}

static std::string installedShim(const NeededLibraries &Linker) {
  for (StringRef Name : {"libkpack_hip.so.0", "libkpack_hip.so"})
    if (std::string Path = Linker.findPreloaded(Name); !Path.empty())
      return Path;
  return shimOfInstallation();
}

ShimPlace tool::findShim(const NeededLibraries &Linker, StringRef Preload) {
  ShimPlace Shim;
  SmallVector<StringRef> Names;
  SplitString(Preload, Names, " :");
  for (StringRef Name : Names) {
    if (!sys::path::filename(Name).starts_with("libkpack_hip.so"))
      continue;
    if (std::string Path = Linker.findPreloaded(Name); !Path.empty())
      Shim.Preloaded = Path;
    else
      Shim.Lost = Name.str();
  }
  Shim.Installed = installedShim(Linker);
  return Shim;
}

std::string ShimPlace::howToPreload() const {
  std::string Lacks =
      Lost.empty() ? "" : "LD_PRELOAD names " + Lost + ", which is not there; ";
  return Lacks +
         (Installed.empty()
              ? "install libkpack_hip.so and preload it (LD_PRELOAD)"
              : "preload libkpack_hip.so (LD_PRELOAD=" + Installed + ")");
}
