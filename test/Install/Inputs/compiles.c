/* compiles CACHE COMPILER SOURCE: calls ten() of a source that is compiled by the
 * helper that the library finds itself. */
#include "kpack/kpack_jit.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  static const char *const symbols[] = {"ten", NULL};
  static const char *const flags[] = {"-O1", NULL};
  kpack_jit_cache_options options = {0};
  kpack_jit_cache *cache = NULL;
  kpack_jit_source source = {0};
  kpack_jit_entry *entry = NULL;
  void *address = NULL;
  int (*function)(void);
  if (argc != 4)
    return 2;
  options.size = sizeof(options);
  options.directory = argv[1];
  source.size = sizeof(source);
  source.compiler = argv[2];
  source.source = argv[3];
  source.flags = flags;
  source.symbols = symbols;
  if (kpack_jit_cache_open(&options, &cache) != KPACK_JIT_SUCCESS ||
      kpack_jit_get_source(cache, &source, 0, &entry) != KPACK_JIT_SUCCESS ||
      kpack_jit_entry_symbol(entry, "ten", &address) != KPACK_JIT_SUCCESS) {
    printf("%s\n", kpack_jit_last_error());
    return 1;
  }
  memcpy(&function, &address, sizeof(function));
  printf("ten is %d\n", function());
  return 0;
}
