#include <kpack/KernelLibrary.h>
#include <kpack/kpack.h>

// The reader a second time in one program, by C and by C++.
int openAgain(const char *Path) {
  kpack_archive_t Archive;
  int Error = kpack_open(Path, &Archive);
  return kpack::ArchiveReader::open(Path) ? -1 : Error;
}
