// A member of the family without a kernel: headers that are precompiled for it
// have no instantiations.
#include "attention.h"

using nothing = int;
