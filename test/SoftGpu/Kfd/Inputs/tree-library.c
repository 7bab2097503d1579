// A library that says which one it is: -DNAME="..." and, with -DINNER, what the
// one that it needs says.
#ifdef INNER
const char *inner(void);
const char *outer(void) { return inner(); }
#else
const char *inner(void) { return NAME; }
#endif
