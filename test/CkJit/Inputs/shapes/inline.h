// Blobs whose specialisations are inline: their symbols are weak.
#pragma once
#include "shapes.h"

namespace shapes {
template <int N> struct trait {};
template <typename Trait> int run(const stream_config &S, data D);
template <typename Trait> std::string name();
int dispatch(int Which, const stream_config &S, data D);
} // namespace shapes
