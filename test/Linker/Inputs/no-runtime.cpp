// HIP's entry points for programs that cannot load a runtime: static ones.
struct dim3 {
  unsigned x, y, z;
};
extern "C" {
int __hipPushCallConfiguration(dim3, dim3, unsigned long, void *) { return 0; }
int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void **) {
  return 0;
}
int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *) {
  return 0;
}
void **__hipRegisterFatBinary(const void *) { return new void *(nullptr); }
void __hipUnregisterFatBinary(void **) {}
int __hipRegisterFunction(void **, const void *, char *, const char *, int,
                          void *, void *, void *, void *, void *) {
  return 0;
}
}
