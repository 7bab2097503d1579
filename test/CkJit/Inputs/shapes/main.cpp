//===- main.cpp - uses a library of one shape -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call prints what the function returned and what the kernel left of 1, 2,
// 3; between them, how many blobs were compiled or found so far.
//
//===----------------------------------------------------------------------===//
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#ifdef SHAPE_instances
#include "instances.h"
#elif defined(SHAPE_inline)
#include "inline.h"
#elif defined(SHAPE_registry)
#include "registry.h"
#else
#include "table.h"
#endif

extern "C" {
int hipMalloc(void **To, size_t Bytes);
int hipMemcpy(void *To, const void *From, size_t Bytes, int Kind);
int hipDeviceSynchronize();
}

using namespace shapes;

namespace {

struct statistics {
  unsigned long long Resolved, Hits, Compiles, Failures;
  double CompileSeconds;
};

/// Nothing where the library was compiled ahead of time.
void showCounts(const char *Moment) {
  auto *Get = reinterpret_cast<void (*)(statistics *)>(
      dlsym(RTLD_DEFAULT, "ck_jit_get_statistics"));
  statistics S{};
  if (!Get)
    return;
  Get(&S);
  std::fprintf(stderr, "%s: %llu compiled, %llu found, %llu failed\n", Moment,
               S.Compiles, S.Hits, S.Failures);
}

/// Has \p Run change 1, 2, 3 on the GPU.
template <typename Function> void show(const char *Name, Function Run) {
  float Host[3] = {1, 2, 3};
  void *Device = nullptr;
  if (hipMalloc(&Device, sizeof(Host)) != 0 ||
      hipMemcpy(Device, Host, sizeof(Host), 1) != 0) {
    std::printf("%s: no memory on the GPU\n", Name);
    return;
  }
  const int Result = Run(data{static_cast<float *>(Device), 3});
  if (hipDeviceSynchronize() != 0 ||
      hipMemcpy(Host, Device, sizeof(Host), 2) != 0)
    std::printf("%s: the GPU failed\n", Name);
  std::printf("%s: %d: %g %g %g\n", Name, Result, Host[0], Host[1], Host[2]);
}

} // namespace

#ifdef SHAPE_instances
namespace shapes {
int ordinary(const stream_config &S, data D);
int ordinary_function(const stream_config &S, data D);
} // namespace shapes

static void use(const stream_config &S) {
  kernel Known = find("multiply_3_true"), Other = find("none"),
         Short = find("no");
  showCounts("addresses");
  auto Call = [&](kernel K) {
    return [=](data D) { return K(S, D.Values, D.Count, "note"); };
  };
  show("multiply<3, true>", Call(Known));
  show("multiply<5, true>", Call(Other));
  show("multiply<2, false>", Call(Short));
  showCounts("kernels");
  show("filler<7>", [&](data D) { return ordinary(S, D); });
  show("doubled<9>", [&](data D) { return ordinary_function(S, D); });
}
#elif defined(SHAPE_inline)
static void use(const stream_config &S) {
  for (int Which : {0, 2, 0})
    show("dispatch", [&](data D) { return dispatch(Which, S, D); });
}
#elif defined(SHAPE_registry)
static void use(const stream_config &S) {
  for (int Kind : {1, 0})
    for (const auto &O : instances(Kind))
      show(O->name().c_str(), [&](data D) { return O->run(S, D); });
  showCounts("lists");
  show("C", [](data D) { return call_c(D); });
  showCounts("C");
  int Factor = 0;
  show("defaults", [&](data D) { return defaults(S, D, Factor); });
  std::printf("default factor: %d\n", Factor);
}
#else
static void use(const stream_config &S) {
  for (int Head : {30, 96, 193})
    std::printf("block size of %d: %d, %d\n", Head, block_size("gfx90a", Head),
                block_size("gfx942", Head));
  std::printf("scale: %g\n", block_scale(96));
  std::printf("layout: %d\n", int(block_layout(96, data{})));
  showCounts("constants");
  std::printf("workspace: %zu\n", workspace_size(32, 10));
  showCounts("workspace");
  show("dispatch", [&](data D) { return dispatch(96, S, D); });
}
#endif

int main() try {
  use({});
  showCounts("end");
} catch (const std::exception &E) {
  std::printf("caught: %s\n", E.what());
  return 1;
}
