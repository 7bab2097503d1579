// A blob with a macro.
#define N 64
int a() { return N; }
