#include "blob.h"
extern "C" int run() { return FACTOR; }
