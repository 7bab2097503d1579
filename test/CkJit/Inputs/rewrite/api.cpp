// Shapes that generated dispatchers do not all have.
#include "lib.h"
#define CALL(T) lib::run<T>(s, a)

template <typename T> static float helper(const lib::stream &s, lib::args a) {
  if constexpr (T::size > 8) {
    if (s.level)
      return float(lib::name<T>().size());
  }
  return lib::run<T>(s, a);
}

template <typename T> float sized(const lib::stream &s, lib::args a) {
  return lib::run<T>(s, a) + T::size;
}

float nested(int which, const lib::stream &s, lib::args a) {
  if (which == 1) {
    using trait_ = lib::traits<1, true>;
    return lib::run<trait_>(s, a);
  } else if (which == 2) {
    constexpr int kSize = 2;
    using trait_ = lib::traits<kSize, true>;
    using other_ = lib::traits<kSize, false>;
    auto later = [](const lib::stream &s, lib::args a) { return lib::run<trait_>(s, a); };
    return later(s, a) + other_::size;
  } else if (which == 3) {
    using trait_ = lib::traits<3, true>;
    return helper<trait_>(s, a);
  } else if (which == 4) {
    return helper<lib::traits<16, true>>(s, a);
  } else if (which == 5) {
    using trait_ = lib::traits<5, true>;
    return sized<trait_>(s, a);
  } else if (which == 6) {
    return lib::from_header<lib::traits<6, true>>(s, a);
  } else if (which == 7) {
    using trait_ = lib::traits<7, true>;
    return CALL(trait_);
  } else if (which == 8) {
    auto *function = &lib::run<lib::traits<8, true>>;
    return function(s, a);
  }
  int two[2] = {};
  lib::step<lib::traits<1, true>>(s, lib::args(a), two);
  return -1;
}

#line 700 "generated.in"
float after() { return 1; }

float counted(int *p, int which, const lib::stream &s, lib::args a) {
  if (++*p == 1 && which == 1) {
    return lib::run<lib::traits<1, true>>(s, a);
  } else if (++*p == 2 && which == 2) {
    return lib::run<lib::traits<2, true>>(s, a);
  } else if (which / a.n == 3) {
    return lib::run<lib::traits<3, true>>(s, a);
  } else if (which == 4) {
    return lib::run<lib::traits<5, true>>(s, a);
  }
  return -1;
}
