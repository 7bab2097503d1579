// Would register if there were a HIP runtime.
#include <cstdio>

extern "C" __attribute__((weak)) void **__hipRegisterFatBinary(const void *);
extern "C" __attribute__((weak)) void __hipUnregisterFatBinary(void **);

int main() {
  const struct {
    unsigned Magic, Version;
    const char *Binary;
    unsigned long long Reserved;
  } Wrapper = {0x48495046, 1, "bundle", 0};
  void **Handle =
      &__hipRegisterFatBinary ? __hipRegisterFatBinary(&Wrapper) : nullptr;
  std::puts(Handle ? "a handle" : "no handle");
  if (&__hipUnregisterFatBinary)
    __hipUnregisterFatBinary(Handle);
}
