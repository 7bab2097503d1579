#include "blob.h"
template <> float run<4>(const Config &, Arguments A) {
  return A.Scale * A.Count * FACTOR + 4;
}
