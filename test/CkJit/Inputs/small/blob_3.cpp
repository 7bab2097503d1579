#include "blob.h"
template <> float run<3>(const Config &, Arguments A) {
  return A.Scale * A.Count * FACTOR + 3;
}
