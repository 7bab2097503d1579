// Calls every launcher with every choice. Stubs find the blobs, which are in
// this program, by their symbols.
#include "kpack/CkJit/Runtime.h"
#include "launcher.h"

#include <dlfcn.h>

extern "C" {
const ck_jit_manifest ck_jit_embedded_manifest = {};
void *ck_jit_resolve(ck_jit_slot *Slot, const ck_jit_failure **) {
  void *Address = dlsym(RTLD_DEFAULT, Slot->symbol);
  if (!Address) {
    std::fprintf(stderr, "no function %s\n", Slot->symbol);
    std::exit(1);
  }
  Slot->address = Address;
  return Address;
}
const ck_jit_failure *ck_jit_resolve_all(ck_jit_slot *const *Slots,
                                         size_t Count) {
  for (size_t I = 0; I != Count; ++I)
    ck_jit_resolve(Slots[I], nullptr);
  return nullptr;
}
ck_jit_error_handler ck_jit_get_error_handler(void **) { return nullptr; }
}

int main() {
  for (int Which = 0; Which < 7; ++Which) {
    lib::choice C{Which, 2};
    lib::stream S{Which};
    lib::args A{100};
    lib::open_launcher Open(C);
    std::printf("%d: open %g %d %d\n", Which, Open.run ? Open.run(A, S) : -1,
                Open.dq_splits, Open.zero);
    lib::packing_launcher Packing(C);
    char Prepared = ' ';
    if (Packing.prepare)
      Packing.prepare(&Prepared);
    std::printf("%d: packing %g %zu %c\n", Which,
                Packing.run ? Packing.run(A, S) : -1, Packing.size, Prepared);
    lib::sized_launcher Sized(C);
    lib::pointing_launcher Pointing(C);
    std::printf("%d: others %g %d %g\n", Which, Sized.run ? Sized.run(A, S) : -1,
                Sized.size, Pointing.run ? Pointing.run(A, S) : -1);
  }
}
