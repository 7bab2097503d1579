//===- main.cpp - main() of the compile helper ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The process that compiles for libraries of this project while a program runs.
// Not for users.
//
//===----------------------------------------------------------------------===//
#include "Jit/Helper/CompileHelper.h"
#include "Support/InstallLayout.h"

#include <climits>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>

#ifdef KPACK_LLVM_DEMANGLE
#include "llvm/Demangle/Demangle.h"

/// LLVM's demangler, which knows every type of clang.
static char *demangle(const char *Mangled) {
  return llvm::itaniumDemangle(Mangled);
}
#else
#include <cxxabi.h>

static char *demangle(const char *Mangled) {
  int Failed = 0;
  return abi::__cxa_demangle(Mangled, nullptr, nullptr, &Failed);
}
#endif

/// Returns the path of the module with the compilers of --serve.
static std::string serverModule() {
  char Path[PATH_MAX];
  ssize_t Size = ::readlink("/proc/self/exe", Path, sizeof(Path));
  std::string Program(Path, size_t(Size < 0 ? 0 : Size));
  return Program.substr(0, Program.rfind('/') + 1) +
         kpack::librariesFromPrograms() + "/kpack_jit_server.so";
}

int main(int Argc, char **Argv) {
  // For `ck-jit cache doctor`, which compares the versions of both.
  if (Argc == 2 && std::strcmp(Argv[1], "--version") == 0)
    return std::puts("kpack-jit-compile " KPACK_VERSION) < 0;
  if (Argc == 2 && std::strcmp(Argv[1], "--serve") == 0)
    return kpack::jit::compileServerMain(demangle, serverModule().c_str());
  return kpack::jit::compileHelperMain(demangle);
}
