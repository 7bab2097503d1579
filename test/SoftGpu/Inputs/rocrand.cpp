// Prints COUNT words of a generator of Debian's librocrand, which makes them on
// the GPU: rocrand TYPE SEED COUNT. Its C API is declared by hand, so that the
// test needs no ROCm headers (rocrand.h of rocRAND 2.10, rocrand_rng_type).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
int rocrand_create_generator(void **Generator, int Type);
int rocrand_set_seed(void *Generator, unsigned long long Seed);
int rocrand_generate(void *Generator, unsigned *Output, size_t Count);
int rocrand_destroy_generator(void *Generator);
int hipMalloc(void **Pointer, size_t Size);
int hipMemcpy(void *To, const void *From, size_t Size, int Kind);
}

static void check(int Status, const char *What) {
  if (Status == 0)
    return;
  std::printf("%s: status %d\n", What, Status);
  std::exit(1);
}

int main(int, char **Arguments) {
  const char *Names[] = {"xorwow", "mrg32k3a", "mtgp32", "philox"};
  int Type = 401;
  while (std::strcmp(Names[Type - 401], Arguments[1]) != 0)
    ++Type;
  const size_t Count = std::atoi(Arguments[3]);
  void *Generator, *Device;
  check(rocrand_create_generator(&Generator, Type), "create");
  check(rocrand_set_seed(Generator, std::atoll(Arguments[2])), "seed");
  check(hipMalloc(&Device, Count * sizeof(unsigned)), "hipMalloc");
  check(rocrand_generate(Generator, static_cast<unsigned *>(Device), Count),
        "generate");
  std::vector<unsigned> Words(Count);
  check(hipMemcpy(Words.data(), Device, Count * sizeof(unsigned), 2),
        "hipMemcpy");
  check(rocrand_destroy_generator(Generator), "destroy");
  for (unsigned Word : Words)
    std::printf("%08x\n", Word);
}
