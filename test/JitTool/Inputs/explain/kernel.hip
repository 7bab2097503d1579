#include "factor.h"
extern "C" int run() { return FACTOR; }
