#include "blob.h"
template <> float run<0>(const Config &, Arguments A) {
  return A.Scale * A.Count * FACTOR + 0;
}
