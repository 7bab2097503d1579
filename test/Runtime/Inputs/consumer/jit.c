#include <kpack/kpack_jit.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  kpack_jit_key *Key;
  char Digits[65];
  if (kpack_jit_key_create("consumer 1", &Key) != KPACK_JIT_SUCCESS ||
      kpack_jit_key_add(Key, "name", "x", 1) != KPACK_JIT_SUCCESS ||
      kpack_jit_key_hex(Key, Digits) != KPACK_JIT_SUCCESS) {
    puts(kpack_jit_last_error());
    return 1;
  }
  kpack_jit_key_destroy(Key);
  printf("key of a name: %u digits\n", (unsigned)strlen(Digits));
  return 0;
}
