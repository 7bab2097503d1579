// The declarations of a library whose specialisations are elsewhere.
#pragma once
#include <string>

namespace lib {
struct stream {
  int level = 0;
};
struct args {
  int n = 0;
};
template <int N, bool Flag> struct traits {
  static constexpr int size = N;
};
template <typename T> float run(const stream &, args);
template <typename T> void step(const stream &, args &&, const int (&)[2]);
template <typename T> std::string name();

/// A template of a header: the dispatcher gets a copy.
template <typename T> float from_header(const stream &s, args a) {
  return run<T>(s, a);
}
} // namespace lib
