#include "answer.h"
