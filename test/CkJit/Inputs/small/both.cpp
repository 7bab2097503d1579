// One process with both libraries: a kernel of libckjit's cache, then one of a
// cache that is opened with libkpack_jit's C API.
//   both <folder>
#include "blob.h"
#include "kpack/CkJit/Runtime.h"
#include "kpack/kpack_jit.h"

#include <cstdio>

CK_JIT_SLOT(Slot, "blob_0", "_Z3runILi0EEfRK6Config9Arguments");

static int compile(kpack_jit_product *Product, void *) {
  kpack_jit_product_set(Product, "code", 4, nullptr);
  return 0;
}

int main(int, char **Words) {
  const Config C{0};
  const Arguments A{0.5f, 2};
  std::printf("run<0> = %g\n",
              ck_jit_call<float(const Config &, Arguments)>(Slot, C, A));
  kpack_jit_cache_options Options{};
  Options.size = sizeof(Options);
  Options.directory = Words[1];
  kpack_jit_cache *Cache = nullptr;
  kpack_jit_key *Key = nullptr;
  kpack_jit_entry *Entry = nullptr;
  kpack_jit_request Request{};
  if (kpack_jit_cache_open(&Options, &Cache) ||
      kpack_jit_key_create("test 1", &Key))
    return 1;
  Request.size = sizeof(Request);
  Request.key = Key;
  Request.name = "kernel";
  const int Code = kpack_jit_get(Cache, &Request, compile, nullptr, 0, &Entry);
  std::printf("kernel: %d\n", Code);
  return Code;
}
