// The blob. Tests edit one number after the other.
#include "c.h"
template <> int block<1>() {
  int A = 1;
  for (int I = 0; I < 6; ++I)
    A *= 2;
  return A == 64 ? block_size : 0;
}
template <> short align<1>(const args &) { return -2; }
template <> float scale<1>() { return 0.5f; }
template <> double factor<1>(const args &) { return 2.5; }
template <> int run<1>(int X) { return X * block_size; }
template <> double limit<1>() { return __builtin_inf(); }
template <> float none<1>() { return __builtin_nanf("1"); }
int late() { return 7; }
int kind::block() const { return 96; }
int kind::many() const {
  const int A = 3;
  return A;
}
inline int soft() { return 8; }
namespace {
template <int N> int own();
template <> int own<1>() { return 9; }
} // namespace
