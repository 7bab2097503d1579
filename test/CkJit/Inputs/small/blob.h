// What the blobs share, as headers of a kernel library would be.
#pragma once
struct Config {
  int Verbose;
};
struct Arguments {
  float Scale;
  int Count;
};
template <int Variant> float run(const Config &C, Arguments A);
#include "factor.h"
