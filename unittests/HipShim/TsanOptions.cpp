//===- TsanOptions.cpp - ThreadSanitizer options of these tests -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handler must not allocate because the signal may have come in the middle of
// malloc. A touch of lazy memory comes in the middle of an access to it and
// nowhere else; the sanitizer cannot know, and pthread_create() allocates.
//
//===----------------------------------------------------------------------===//
extern "C" const char *__tsan_default_options() {
  return "report_signal_unsafe=0";
}
