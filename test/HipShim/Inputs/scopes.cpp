// A program that knows nothing of HIP: scopes [MODE=]LIBRARY[:SYMBOL] ...
//
// Loads the libraries one after the other and calls SYMBOL ("secondOf") of
// each; then closes them in the same order. Modes: local, global, deep (its own
// libraries before those of the program), new (a namespace of its own), only
// (nothing is called), closed (at once, and the HIP runtimes that are still
// loaded are printed). What dlerror() says after a dlopen() that succeeded is a
// finding.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <vector>

static void *load(const std::string &Mode, const char *Path) {
  if (Mode == "new")
    return dlmopen(LM_ID_NEWLM, Path, RTLD_NOW);
  return dlopen(Path, RTLD_NOW | (Mode == "global" || Mode == "only" ? RTLD_GLOBAL
                                  : Mode == "deep"   ? RTLD_DEEPBIND
                                                     : RTLD_LOCAL));
}

static int printRuntime(dl_phdr_info *Object, size_t, void *) {
  if (std::strstr(Object->dlpi_name, "libamdhip64"))
    std::printf("still loaded: %s\n", Object->dlpi_name);
  return 0;
}

int main(int Count, char **Arguments) {
  std::vector<void *> Libraries;
  for (int I = 1; I != Count; ++I) {
    std::string Path = Arguments[I], Mode = "local", Symbol = "secondOf";
    if (size_t At = Path.find('='); At != Path.npos) {
      Mode = Path.substr(0, At);
      Path.erase(0, At + 1);
    }
    if (size_t At = Path.find(':'); At != Path.npos) {
      Symbol = Path.substr(At + 1);
      Path.resize(At);
    }
    std::printf("-- %s\n", Path.c_str() + Path.rfind('/') + 1);
    std::fflush(stdout);
    dlerror();
    void *Library = load(Mode, Path.c_str());
    const char *Error = dlerror();
    if (Error)
      std::printf("dlerror: %s\n", Error);
    if (!Library)
      return 1;
    Libraries.push_back(Library);
    if (Mode == "only")
      continue;
    auto Use =
        reinterpret_cast<void (*)(float *)>(dlsym(Library, Symbol.c_str()));
    if (!Use) {
      std::printf("%s\n", dlerror());
      return 1;
    }
    Use(nullptr);
    if (Mode != "closed")
      continue;
    Libraries.pop_back();
    if (dlclose(Library) != 0)
      return 1;
    dl_iterate_phdr(printRuntime, nullptr);
  }
  for (void *Library : Libraries)
    if (dlclose(Library) != 0)
      return 1;
  std::puts("-- end");
}
