//===- WarmUp.cpp - first compile, to warm up clang and lld ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A first compile in a process takes half as long again as a second one: it
// builds tables of instructions and passes, and touches thousands of pages of
// two large libraries for the first time. A fork does not inherit that, so each
// process warms up itself. It calls the front end and not the driver, which
// would search a file system that is not the user's.
//
//===----------------------------------------------------------------------===//
#include "Tools.h"

#include "Support/SealedFile.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

using namespace kpack;

namespace {

struct Kind {
  std::vector<const char *> FrontEnd;
  std::vector<const char *> Link;
  const char *Source;
};

} // namespace

static std::string pathOf(const UniqueFd &File) {
  return "/proc/self/fd/" + std::to_string(File.get());
}

static void compile(const Kind &K) {
  UniqueFd Source = memoryFile("kpack-jit-warm.hip");
  UniqueFd Object = memoryFile("kpack-jit-warm.o");
  if (!Source || !Object)
    return;
  llvm::raw_fd_ostream(Source.get(), /*shouldClose=*/false) << K.Source;
  std::string SourcePath = pathOf(Source), ObjectPath = pathOf(Object);
  std::vector<const char *> Args{"clang", "-cc1"};
  Args.insert(Args.end(), K.FrontEnd.begin(), K.FrontEnd.end());
  Args.insert(Args.end(),
              {"-O3", "-vectorize-loops", "-vectorize-slp", "-emit-obj", "-o",
               ObjectPath.c_str(), SourcePath.c_str()});
  jit::Traces Left;
  if (jit::runFrontEnd(Args, Left) != 0)
    return;
  std::vector<const char *> Link{"ld.lld"};
  Link.insert(Link.end(), K.Link.begin(), K.Link.end());
  Link.insert(Link.end(), {"-shared", "-o", "/dev/null", ObjectPath.c_str()});
  jit::runLinker(Link, Left);
}

void jit::warmUpTools() {
  static constexpr const char *Kernel =
      "__attribute__((global)) void saxpy(float *y, const float *x, "
      "float a, int n) {\n"
      "  int i = __builtin_amdgcn_workgroup_id_x() * 256 +\n"
      "          __builtin_amdgcn_workitem_id_x();\n"
      "  if (i < n) y[i] = a * x[i] + y[i];\n"
      "}\n";
  static constexpr const char *Function =
      "template <class T> struct P { T *p; T &operator[](int i) const "
      "{ return p[i]; } };\n"
      "extern \"C\" void saxpy(float *y, float *x, float a, int n) {\n"
      "  P<float> Y{y}, X{x};\n"
      "  for (int i = 0; i < n; ++i) Y[i] = a * X[i] + Y[i];\n"
      "}\n";
  compile({{"-triple", "amdgcn-amd-amdhsa", "-aux-triple",
            "x86_64-unknown-linux-gnu", "-fcuda-is-device", "-target-cpu",
            "gfx90a", "-fvisibility=hidden", "-x", "hip"},
           {"-m", "elf64_amdgpu"},
           Kernel});
  compile({{"-triple", "x86_64-unknown-linux-gnu", "-target-cpu", "x86-64",
            "-mrelocation-model", "pic", "-pic-level", "2", "-std=c++17",
            "-fcxx-exceptions", "-fexceptions", "-x", "c++"},
           {"-m", "elf_x86_64"},
           Function});
}
