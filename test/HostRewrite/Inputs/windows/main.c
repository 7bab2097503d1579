// A program without a C library: prints a word, the first bytes of its wrapper and
// of what that points to, and ends with 42.
struct Wrapper {
  unsigned Magic, Version;
  const void *Pointer;
  unsigned long long Reserved1;
};
extern const struct Wrapper wrapper0;
__declspec(dllimport) void ExitProcess(unsigned);
__declspec(dllimport) void *GetStdHandle(unsigned);
__declspec(dllimport) int WriteFile(void *, const void *, unsigned, unsigned *,
                                    void *);
static const char *const Names[] = {"one\n", "two\n", "three\n"};
int Counter = 7;
static char Buffer[5000];

__attribute__((noinline)) static void say(const char *Text) {
  unsigned Size = 0, Written;
  while (Text[Size])
    ++Size;
  WriteFile(GetStdHandle((unsigned)-11), Text, Size, &Written, 0);
}

__declspec(dllexport) int code_of(int Index) { return Index + Counter; }

void mainCRTStartup(void) {
  char Text[32];
  const volatile struct Wrapper *W = &wrapper0;
  say(Names[Counter % 3]);
  for (int I = 0; I < 4; I++)
    Text[I] = ((const char *)W)[I];
  for (int I = 0; I < 24; I++) {
    char C = ((const char *)W->Pointer)[I];
    Text[4 + I] = C >= 32 && C < 127 ? C : '.';
  }
  Text[28] = '\n';
  Text[29] = 0;
  say(Text);
  Buffer[Counter] = 1;
  ExitProcess(Buffer[7] == 1 ? 42 : 1);
}

int _DllMainCRTStartup(void *Module, unsigned Reason, void *Reserved) {
  return 1;
}
