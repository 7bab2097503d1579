#include <kpack/Archive/ArchiveWriter.h>

int main(int Argc, char **Argv) {
  if (Argc != 2)
    return 1;
  auto Writer = kpack::ArchiveWriter::create(Argv[1], {});
  if (!Writer || !(*Writer)->add("app#0", "gfx942", "code").ok())
    return 1;
  return (*Writer)->commit().ok() ? 0 : 1;
}
