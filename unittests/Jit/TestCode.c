/* A compiled kernel as far as the loader is concerned. */
int answer(void) { return 42; }
