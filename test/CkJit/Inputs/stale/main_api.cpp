// The dispatcher, and a program that shows what it was linked with before it calls
// the kernel.
#include "c.h"
#include <cstdio>
#include <stdexcept>
int main() {
  const args A{1};
  std::setbuf(stdout, nullptr);
  std::printf("linked: %d %d %g %g\n", block<1>(), align<1>(A), scale<1>(),
              factor<1>(A));
  try {
    std::printf("run: %d\n", run<1>(1));
  } catch (const std::exception &) {
    return 1;
  }
}
