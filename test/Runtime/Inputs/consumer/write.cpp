#include <kpack/Archive/ArchiveReader.h>
#include <kpack/Archive/ArchiveWriter.h>
#ifdef ZSTD_VERSION_NUMBER
#error "kpack::Archive must define KPACK_ARCHIVE_LIBRARY"
#endif

int main(int Argc, char **Argv) {
  if (Argc != 2)
    return 1;
  auto Writer = kpack::ArchiveWriter::create(Argv[1], {});
  if (!Writer || !(*Writer)->add("app#0", "gfx942", "code").ok())
    return 1;
  if (!(*Writer)->commit().ok())
    return 1;
  auto Reader = kpack::ArchiveReader::open(Argv[1]);
  if (!Reader)
    return 1;
  auto Code = (*Reader)->read((*Reader)->entries()[0]);
  return Code && Code->bytes() == "code" ? 0 : 1;
}
