// A dispatcher of both.
int a();
int b();
int both() { return a() + b(); }
