// Opens each library that is named, uses its kernel, closes it again; then in
// a child, a thread and once more. An argument "init" initialises the runtime.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" __attribute__((weak)) int hipInit(unsigned);

static int use(const char *Path) {
  void *Library = dlopen(Path, RTLD_NOW | RTLD_LOCAL);
  if (!Library) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  auto Second = reinterpret_cast<void (*)(float *)>(dlsym(Library, "secondOf"));
  Second(nullptr);
  return dlclose(Library);
}

int main(int Count, char **Arguments) {
  for (int I = 1; I != Count; ++I) {
    const char *Name = Arguments[I];
    std::printf("-- %s\n",
                std::strrchr(Name, '/') ? std::strrchr(Name, '/') + 1 : Name);
    std::fflush(stdout);
    if (std::strcmp(Name, "init") == 0) {
      if (hipInit(0) != 0)
        return 1;
      continue;
    }
    for (int Round = 0; Round != 2; ++Round)
      if (use(Name) != 0)
        return 1;
    pid_t Child = fork();
    if (Child == 0)
      _exit(use(Name));
    int Status = -1;
    if (waitpid(Child, &Status, 0) != Child || Status != 0)
      return 1;
    std::thread(use, Name).join();
  }
}
