#include "blob.h"
template <> float run<1>(const Config &, Arguments A) {
  return A.Scale * A.Count * FACTOR + 1;
}
