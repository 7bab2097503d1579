// A blob that would return something else if it saw the macro of a.cpp.
#ifndef N
#define N 128
#endif
int b() { return N; }
