// A library of one HIP blob, and the program that calls it.
#include "kpack/CkJit/Runtime.h"

typedef struct ihipStream_t *hipStream_t;

#ifndef MANIFEST_IS_GENERATED
static const char *const Flags[] = {"-O2",
                                    "-fvisibility=hidden",
                                    "-nogpulib",
                                    "-nogpuinc",
                                    "--offload-arch=gfx942",
                                    "--offload-arch=gfx90a",
                                    "-I",
                                    HIP_INPUTS,
                                    nullptr};
static const char *const Symbols[] = {"_Z5scaleILi2EEfP12ihipStream_tPf",
                                      nullptr};
static const ck_jit_blob Blobs[] = {
    {"scale_2", "scale_2.hip", nullptr, Flags, Symbols}};
static const char *const LinkFlags[] = {"-L", LIBRARIES, "-lfakehip", nullptr};
const ck_jit_manifest ck_jit_embedded_manifest = {
    CK_JIT_ABI, "hip", nullptr, nullptr, Blobs, 1, LinkFlags};
#endif

CK_JIT_SLOT(Scale2, "scale_2", "_Z5scaleILi2EEfP12ihipStream_tPf");

int main() {
  float Data = 1;
  auto Result = ck_jit_try<float(hipStream_t, float *)>(Scale2, nullptr, &Data);
  if (Result)
    std::printf("scale<2> = %g\n", Result.value);
  else
    std::printf("code %d: %s\n", Result.failure->code, Result.failure->message);
  ck_jit_statistics S;
  ck_jit_get_statistics(&S);
  std::printf("hits=%llu compiles=%llu\n", S.hits, S.compiles);
  std::fflush(stdout); // before what the runtime prints at the end
  return !Result;
}
