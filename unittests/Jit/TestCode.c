// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/* A compiled kernel as far as the loader is concerned. */
int answer(void) { return 42; }
