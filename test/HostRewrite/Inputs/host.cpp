// What programs and libraries have beside device code: exceptions, whose tables
// linkers put behind it, thread-local and relocated data, constructors. It says
// what it sees, and ends by a signal when that is wrong.
#include <cstdio>
#include <cstdlib>

struct Animal {
  virtual ~Animal() = default;
  virtual const char *name() const = 0;
};

template <int N> struct Kind : Animal {
  const char *name() const override { return Names[N]; }
  static const char *const Names[3];
};
template <int N>
const char *const Kind<N>::Names[3] = {"cat", "dog", "bird"};

static thread_local int Calls = 3;

static int caught(const Animal &A) {
  try {
    throw A.name();
  } catch (const char *Name) {
    std::printf("%s %d\n", Name, Calls++);
    return Name[0];
  }
}

static struct AtStart {
  AtStart() {
    int Sum = caught(Kind<0>()) + caught(Kind<1>()) + caught(Kind<2>());
    if (Sum != 'c' + 'd' + 'b' || Calls != 6)
      std::abort();
    std::fflush(stdout);
  }
} Checked;

int main() { return 0; }
