// What leads from one part of a program to another: jump tables, virtual and
// indirect functions, tables of pointers, thread-local variables of each model,
// exceptions and their types, weak and foreign symbols, constructors. All of it
// is asked, and `answers` is printed: a pointer that a conversion has got wrong
// changes it, or the program ends with a signal.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>

extern "C" char **environ;
extern "C" void maybe() __attribute__((weak));

struct Shape {
  virtual ~Shape() = default;
  virtual int sides() const = 0;
};
struct Square : Shape {
  int sides() const override { return 4; }
};
struct Line : Shape {
  int sides() const override { return 1; }
};

static int two() { return 2; }
static int three() { return 3; }
static int (*const Functions[])() = {two, three};
static const char *Names[] = {"zero", "one", "two"};
int Shared[4] = {1, 2, 3, 4};
static int *Second = Shared + 1, *BeyondEnd = Shared + 4;
static char Zeros[5000];
thread_local int Local = 7;
static thread_local std::string LocalText = "text";
__thread int InitialExec __attribute__((tls_model("initial-exec"))) = 5;
static int Constructed;
__attribute__((constructor)) static void construct() { Constructed = 11; }

static int chosenOne() { return 21; }
extern "C" {
int (*chooseOne())() { return chosenOne; }
int chosen() __attribute__((ifunc("chooseOne")));
}

__attribute__((noinline)) static int jump(int Way) {
  switch (Way) {
  case 0: return printf("jump 0\n");
  case 1: return two() * 17;
  case 2: return int(strlen(Names[1])) + 100;
  case 3: throw std::runtime_error("three");
  case 4: return Shared[2] * 31;
  case 5: throw 5;
  case 6: return Local * 3;
  case 7: return Constructed - 40;
  }
  return -1;
}

__attribute__((noinline)) static int caught(int Way) {
  try {
    std::string Unwound = "unwound";
    return jump(Way);
  } catch (const std::exception &E) {
    return int(strlen(E.what()));
  } catch (int I) {
    return I + 50;
  }
}

__attribute__((noinline)) static const char *word(int N) {
  switch (N) {
  case 0: return "nil";
  case 1: return "eins";
  case 2: return "zwei";
  case 3: return "drei";
  case 4: return "vier";
  }
  return "viele";
}

static int inThread() {
  int Sum = 0;
  std::thread([&] { Sum = ++Local + int(LocalText.size()) + ++InitialExec; })
      .join();
  return Sum;
}

extern "C" int answers() {
  Square S;
  Line L;
  const Shape *Shapes[] = {&S, &L};
  int (*volatile Indirect)() = chosen;
  int Sum = 0;
  for (int I = 0; I != 9; ++I)
    printf("caught %d: %d %s\n", I, caught(I), word(I));
  for (const Shape *Of : Shapes)
    printf("%s: %d\n", typeid(*Of).name(), Of->sides());
  for (int (*F)() : Functions)
    Sum += F();
  for (const char *Name : Names)
    Sum += int(strlen(Name));
  for (char C : Zeros)
    Sum += C;
  printf("sum %d, thread %d, chosen %d %d\n", Sum, inThread(), chosen(),
         Indirect());
  printf("pointers %d %d, weak %d, environment %d\n", *Second,
         int(BeyondEnd - Shared), maybe != nullptr, environ != nullptr);
  Dl_info Info = {};
  bool IsMine = dladdr(reinterpret_cast<void *>(answers), &Info) &&
                dlsym(RTLD_DEFAULT, "strlen");
  printf("found %d %s\n", IsMine, Info.dli_sname ? Info.dli_sname : "nothing");
  fflush(stdout);
  return 0;
}

#ifndef LIBRARY
int main() { return answers(); }
#endif
