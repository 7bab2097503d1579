//===- InstalledPrograms.cpp - paths of helper programs -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the first folder with an executable program; if there is none, returns
// a path for the message.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/InstalledPrograms.h"

#include "Support/InstallLayout.h"

#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

/// Resolves links in \p Path; returns it unchanged if it does not exist.
static std::string realPath(const std::string &Path) {
  char *Real = ::realpath(Path.c_str(), nullptr);
  std::string Found = Real ? Real : Path;
  std::free(Real);
  return Found;
}

std::string jit::getFile(const void *Address) {
  Dl_info Info;
  link_map *Map = nullptr;
  if (!::dladdr1(Address, &Info, reinterpret_cast<void **>(&Map),
                 RTLD_DL_LINKMAP) ||
      !Info.dli_fname)
    return "";
  // For the program itself the dynamic linker has only its argv[0].
  if (Map && Map->l_name && !*Map->l_name)
    return realPath("/proc/self/exe");
  // Follow links: a library may be found through links, but its programs and
  // sources are beside the library itself.
  return realPath(Info.dli_fname);
}

std::string jit::getFolder(const void *Address) {
  std::string Path = getFile(Address);
  size_t Slash = Path.rfind('/');
  return Slash == std::string::npos ? "." : Path.substr(0, Slash);
}

static bool canRun(const std::string &Path) {
  return ::access(Path.c_str(), X_OK) == 0;
}

std::string jit::programBeside(const void *Address, const std::string &Name) {
  std::string Here = getFolder(Address);
  // Try "../bin" even if kpack was configured for another layout: the trees of
  // `ck-jit build` use it.
  std::string Installed = std::string("/") + programsFromLibraries();
  for (const std::string &Folder :
       {std::string(), Installed, std::string("/../bin"),
        std::string("/../libexec/kpack")})
    if (std::string Path = realPath(Here + Folder + "/" + Name); canRun(Path))
      return Path;
  return Here + "/../bin/" + Name; // for the message
}
