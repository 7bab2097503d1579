#include "answer.h"

#include <cstdio>

int main() { std::printf("the answer is %d\n", answer()); }
