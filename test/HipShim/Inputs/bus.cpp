// Maps an archive as a reader without copies does, cuts it off, reads it.
// bus ARCHIVE [handler]: with a handler of its own.
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" void secondOf(float *);

static void caught(int) {
  _exit(write(STDOUT_FILENO, "caught\n", 7) == 7 ? 0 : 1);
}

int main(int Count, char **Arguments) {
  secondOf(nullptr); // the shim is in use
  if (Count > 2)
    signal(SIGBUS, caught);
  const int File = open(Arguments[1], O_RDWR);
  struct stat Info;
  if (File < 0 || fstat(File, &Info) != 0)
    return 1;
  auto *Bytes = static_cast<const volatile char *>(
      mmap(nullptr, Info.st_size, PROT_READ, MAP_PRIVATE, File, 0));
  if (Bytes == MAP_FAILED || ftruncate(File, 0) != 0)
    return 1;
  return *Bytes;
}
