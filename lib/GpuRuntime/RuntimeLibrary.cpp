//===- RuntimeLibrary.cpp - search for a runtime library ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeLibrary.h"

#include <dlfcn.h>
#include <link.h>
#include <string_view>

using namespace kpack;

/// Clears the dlerror() of a failed look-up, which the program must not see.
static void *quietly(void *Found) {
  if (!Found)
    ::dlerror();
  return Found;
}

namespace {
struct Search {
  std::string_view Stem;
  std::string Path;
};
} // namespace

static int takeLibrary(dl_phdr_info *Object, size_t, void *User) {
  auto *For = static_cast<Search *>(User);
  std::string_view Path = Object->dlpi_name ? Object->dlpi_name : "";
  size_t Slash = Path.rfind('/');
  std::string_view File =
      Slash == std::string_view::npos ? Path : Path.substr(Slash + 1);
  if (File.substr(0, For->Stem.size()) != For->Stem)
    return 0;
  For->Path = Path;
  return 1;
}

std::string kpack::mappedLibrary(const char *Stem) {
  Search For{Stem, {}};
  ::dl_iterate_phdr(takeLibrary, &For);
  return For.Path;
}

static LibraryFunctions getFunctions(void *Scope) {
  return [Scope](const char *Name) { return quietly(::dlsym(Scope, Name)); };
}

LibraryFunctions kpack::programFunctions() {
  return getFunctions(::dlopen(nullptr, RTLD_LAZY));
}

LibraryFunctions kpack::findLibrary(const char *Function, const char *Stem,
                                    const std::vector<std::string> &Names) {
  // RTLD_DEFAULT also finds functions of libraries that this library is linked
  // with and that the program need not see. If the program has the function,
  // search only its scope, so that functions of two runtimes do not mix.
  if (void *Seen = quietly(::dlsym(RTLD_DEFAULT, Function))) {
    LibraryFunctions OfProgram = programFunctions();
    return OfProgram(Function) == Seen ? OfProgram : getFunctions(RTLD_DEFAULT);
  }
  if (std::string Mapped = mappedLibrary(Stem); !Mapped.empty())
    if (void *Found =
            quietly(::dlopen(Mapped.c_str(), RTLD_LAZY | RTLD_NOLOAD)))
      return getFunctions(Found);
  for (const std::string &Name : Names)
    if (void *Opened = quietly(::dlopen(Name.c_str(), RTLD_LAZY | RTLD_LOCAL)))
      return getFunctions(Opened);
  return nullptr;
}
