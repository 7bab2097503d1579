// The smallest user of kpack/KernelLibrary.h.
#include "kpack/KernelLibrary.h"

#include <cstdio>

struct Loader {
  using Module = int;
  kpack::Result<int> load(const std::string &, const void *, std::size_t Size) {
    return static_cast<int>(Size);
  }
  void unload(int) {}
};

int main() {
  kpack::KernelLibraryOptions Options;
  Options.Archives = {"/nonexistent/@GFXARCH@"};
  Options.Targets = {"gfx90a", "gfx9-generic"};
  auto Library = kpack::KernelLibrary<Loader>::open(Options, Loader());
  std::printf("%s\n", Library.status().message().c_str());
}
