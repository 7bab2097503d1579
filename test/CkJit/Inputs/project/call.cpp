// Loads a library as a Python module would, and calls a function of it.
#include "kpack/CkJit/Runtime.h"

#include <dlfcn.h>

// What the test's HIP runtime leaves out.
extern "C" __attribute__((visibility("default"))) int hipGetLastError() {
  return 0;
}

static void *find(void *Library, const char *Name) {
  void *Address = dlsym(Library, Name);
  if (!Address) {
    std::printf("%s\n", dlerror());
    std::exit(1);
  }
  return Address;
}

int main(int, char **Argv) {
  void *Library = dlopen(Argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!Library) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  auto *Call = reinterpret_cast<float (*)(int, const char *)>(
      find(Library, Argv[2]));
  try {
    std::printf("result %g\n", Call(std::atoi(Argv[3]), Argv[4]));
  } catch (const std::exception &E) {
    std::printf("caught %s\n", E.what());
  }
  ck_jit_statistics S;
  reinterpret_cast<decltype(&ck_jit_get_statistics)>(
      find(Library, "ck_jit_get_statistics"))(&S);
  std::printf("hits=%llu compiles=%llu failures=%llu\n", S.hits, S.compiles, S.failures);
  std::fflush(stdout);
  return 0;
}
