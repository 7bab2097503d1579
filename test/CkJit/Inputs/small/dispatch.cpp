// A dispatcher as it was written: specialisations that others define. Arguments
// of every kind come through a stub as they were given.
#include "blob.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <exception>

struct Large {
  double Values[5];
};
template <int Variant>
Large mixed(int A, float B, const char *C, double D, long E, Large F, int G,
            int H, int I, float J);

int main(int Count, char **Words) {
  const Config C{0};
  const Arguments A{0.5f, 2};
  for (int I = 1; I < Count; ++I) {
    try {
      switch (std::atoi(Words[I])) {
      case 0:
        std::printf("run<0> = %g\n", run<0>(C, A));
        break;
      case 1:
        std::printf("run<1> = %g\n", run<1>(C, A));
        break;
      case 2:
        std::printf("run<2> = %g\n", run<2>(C, A));
        break;
      case 9: {
        Large L = mixed<9>(1, 2.5f, "three", 4.25, 5, {{6, 7, 8, 9, 10}}, 11,
                           12, 13, 14.5f);
        std::printf("mixed<9> = %g %g %g %g %g\n", L.Values[0], L.Values[1],
                    L.Values[2], L.Values[3], L.Values[4]);
        break;
      }
      }
    } catch (const std::exception &E) {
      std::printf("caught %.40s\n", E.what());
    }
  }
}
