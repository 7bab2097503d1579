#include "factor.h"
