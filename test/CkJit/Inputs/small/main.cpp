// A dispatcher as the rewriter writes it, and a program that calls it.
//   main N...   calls variants, prints what they return and what it took
//   main try N  the same with the error as a value
//   main handler N  tells a handler first
//   main async N...  says whether there was no answer at first
#include "blob.h"
#include "kpack/CkJit/Runtime.h"

#include <cstring>

#define SLOT(N)                                                                \
  CK_JIT_SLOT(Slot##N, "blob_" #N, "_Z3runILi" #N "EEfRK6Config9Arguments")
SLOT(0);
SLOT(1);
SLOT(2);
SLOT(3);
SLOT(4);
CK_JIT_SLOT(Slot5, "blob_5", "unknown");

using Kernel = float(const Config &, Arguments);

static ck_jit_slot &slot(int Variant) {
  ck_jit_slot *Slots[] = {&Slot0, &Slot1, &Slot2, &Slot3, &Slot4, &Slot5};
  return *Slots[Variant];
}

static float dispatch(int Variant, const Config &C, Arguments A) {
  return ck_jit_call<Kernel>(slot(Variant), C, A);
}

static void tell(const ck_jit_failure *Why, void *User) {
  std::printf("%s code %d for %s\n", static_cast<const char *>(User), Why->code,
              Why->blob);
}

static bool showAsync(int Variant, const Config &C, Arguments A) {
  bool WasPending = false;
  auto Result = ck_jit_try_async<Kernel>(slot(Variant), C, A);
  while (!Result && Result.failure->code == CK_JIT_PENDING) {
    WasPending = true; // a fallback would run here
    Result = ck_jit_try_async<Kernel>(slot(Variant), C, A);
  }
  std::printf("run<%d>: %s, then ", Variant, WasPending ? "pending" : "there");
  if (Result)
    std::printf("%g\n", Result.value);
  else
    std::printf("code %d for %s\n", Result.failure->code, Result.failure->blob);
  return bool(Result);
}

int main(int Count, char **Words) {
  const Config C{0};
  const Arguments A{0.5f, 2};
  int First = 1, Failed = 0;
  const bool Try = Count > 1 && std::strcmp(Words[1], "try") == 0;
  const bool Handler = Count > 1 && std::strcmp(Words[1], "handler") == 0;
  const bool Ready = Count > 1 && std::strcmp(Words[1], "ready") == 0;
  const bool Async = Count > 1 && std::strcmp(Words[1], "async") == 0;
  First += Try || Handler || Ready || Async;
  if (Handler)
    ck_jit_set_error_handler(tell, const_cast<char *>("handler:"));
  for (int I = First; I < Count; ++I) {
    const int Variant = std::atoi(Words[I]);
    try {
      if (Async) {
        Failed |= !showAsync(Variant, C, A);
        continue;
      }
      if (Ready)
        ck_jit_ready(slot(0), slot(Variant));
      if (!Try) {
        std::printf("run<%d> = %g\n", Variant, dispatch(Variant, C, A));
        continue;
      }
      auto Result = ck_jit_try<Kernel>(slot(Variant), C, A);
      if (Result)
        std::printf("run<%d> = %g\n", Variant, Result.value);
      else
        std::printf("run<%d>: code %d: %s\n", Variant, Result.failure->code,
                    Result.failure->message);
      Failed |= !Result;
    } catch (const ck_jit_error &E) {
      std::printf("run<%d>: caught code %d\n", Variant, E.failure().code);
      Failed = 1;
    }
  }
  ck_jit_statistics S;
  ck_jit_get_statistics(&S);
  std::printf("resolved=%llu hits=%llu compiles=%llu failures=%llu\n",
              S.resolved, S.hits, S.compiles, S.failures);
  // Setting is for before the first call.
  if (ck_jit_set_cache_dir("/late") && Count > First)
    return 9;
  return Failed;
}
