// A code object that N tells from others.
int value = N;
int twice(void) { return 2 * value; }
