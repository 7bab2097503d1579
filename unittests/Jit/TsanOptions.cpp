//===- TsanOptions.cpp - ThreadSanitizer options of these tests -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A child of a process with threads may start threads of its own here: that is
// what the fork tests are about. The sanitizer would end it for that. Its
// sibling in unittests/HipShim is about signals.
//
//===----------------------------------------------------------------------===//
extern "C" const char *__tsan_default_options() { return "die_after_fork=0"; }
