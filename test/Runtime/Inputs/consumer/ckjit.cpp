#include <kpack/CkJit/Runtime.h>

int main() {
  ck_jit_statistics Counts;
  ck_jit_get_statistics(&Counts);
  std::puts(Counts.compiles ? "kernels were compiled" : "nothing was compiled");
}
