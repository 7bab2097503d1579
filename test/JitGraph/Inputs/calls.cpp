// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes a graph many times and counts what that calls: memory and locks here,
// the kernel for whoever traces the process, between two lines on stderr.
#include <kpack/JitGraph/Graph.h>

#include <cstdio>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

static bool IsCounting = false;
static int Allocations = 0, Locks = 0;

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void *malloc(size_t Size) {
  Allocations += IsCounting;
  return __libc_malloc(Size);
}
void *calloc(size_t Count, size_t Size) {
  Allocations += IsCounting;
  return __libc_calloc(Count, Size);
}
void *realloc(void *Old, size_t Size) {
  Allocations += IsCounting;
  return __libc_realloc(Old, Size);
}
void *aligned_alloc(size_t Alignment, size_t Size) {
  Allocations += IsCounting;
  return __libc_memalign(Alignment, Size);
}
int pthread_mutex_lock(pthread_mutex_t *Mutex) {
  using Lock = int(pthread_mutex_t *);
  static Lock *Real =
      reinterpret_cast<Lock *>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  Locks += IsCounting;
  return Real(Mutex);
}
}

template <class P> struct Double {
  In<P, float> x{};
  Out<P, float> y{};
  Var<P, 1, 100> t{};
};

int main(int Count, char **) {
  constexpr Double<Names> D = InterfaceOf<Double>::positions();
  auto Twice = graph<Double>(0, [](const int &, Double<Trace> &Io) {
    OpGraph &G = *Io.x.graph();
    Io.y = Tensor<float>(&G, G.add({.Kind = OpKind::Add,
                                    .Shape = {Io.t},
                                    .Operands = {Io.x.id(), Io.x.id()}}));
  });
  auto G = Twice.prepare({.x = {D.t}});
  if (!G) {
    std::fprintf(stderr, "%s\n", G.status().message().c_str());
    return 1;
  }
  static float Mine[100] = {1};
  bool IsRight = true;
  (void)!write(2, "begin\n", 6);
  IsCounting = true;
  for (int I = 0; I < 1000; ++I) {
    IsRight &= G->execute().ok();
    IsRight &= G->execute({.t = I % 100 + 1}).ok();
    IsRight &= G->execute({.x = Mine}).ok();
    IsRight &= G->execute({.x = G->io().x}).ok();
    if (Count > 1) // the counters count
      G->execute({.t = 0}).ok();
  }
  IsCounting = false;
  (void)!write(2, "end\n", 4);
  std::printf("%s: %s allocations, %d locks\n", IsRight ? "right" : "wrong",
              Allocations ? "some" : "no", Locks);
  return 0;
}
