// What blobs of instances.h include: the templates themselves.
#pragma once
#include "instances.h"

namespace shapes {
#ifdef __HIP__
template <typename T, int Factor, bool Plus>
int multiply(const stream_config &S, T *&Values, int Count, const char *) {
  return scale<Factor, Plus ? 1 : 0>(S, data{Values, Count});
}
template <int Factor> filler<Factor>::filler() : Made(Factor) {}
template <int Factor> filler<Factor>::~filler() {}
template <int Factor>
int filler<Factor>::fill(const stream_config &S, data D) const {
  return scale<0, Factor>(S, D) + Made;
}
#endif
} // namespace shapes

#define SHAPES_INSTANCE(FACTOR)                                                \
  template int shapes::multiply<data_t, FACTOR, Plus>(                         \
      const shapes::stream_config &, data_t *&, int, const char *);
