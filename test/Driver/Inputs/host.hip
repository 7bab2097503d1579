// A HIP source without a kernel.
int hostOnly() { return 3; }
