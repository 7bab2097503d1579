// The manifest of five blobs, as the build of a library generates it.
#include "kpack/CkJit/Runtime.h"

static const char *const Flags[] = {"-O2", "-c",     "-fvisibility=hidden",
                                    "-I",  "{root}", nullptr};
#define SYMBOL(N) "_Z3runILi" #N "EEfRK6Config9Arguments"
#define BLOB(N)                                                                \
  { "blob_" #N, "blob_" #N ".cpp", nullptr, Flags, Symbols##N }
#define SYMBOLS(N) static const char *const Symbols##N[] = {SYMBOL(N), nullptr};
SYMBOLS(0)
SYMBOLS(1)
SYMBOLS(2) SYMBOLS(3) SYMBOLS(4)

    static const ck_jit_blob Blobs[] = {BLOB(0), BLOB(1), BLOB(2), BLOB(3),
                                        BLOB(4)};
const ck_jit_manifest ck_jit_embedded_manifest = {
    CK_JIT_ABI, "small", nullptr, nullptr, Blobs, 5, nullptr};
