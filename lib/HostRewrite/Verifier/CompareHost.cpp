#include "kpack/HostRewrite/Verifier.h"
