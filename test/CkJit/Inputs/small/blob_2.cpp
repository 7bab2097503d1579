#include "blob.h"
template <> float run<2>(const Config &, Arguments A) {
  return A.Scale * A.Count * FACTOR + 2;
}
