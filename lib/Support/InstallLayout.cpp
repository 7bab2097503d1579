//===- InstallLayout.cpp - where parts are --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See InstallLayout.h. The values come from CMakeLists.txt, which is why no
// other file has to be compiled again for another layout.
//
//===----------------------------------------------------------------------===//
#include "Support/InstallLayout.h"

const char *kpack::librariesFromPrograms() { return KPACK_LIBDIR_FROM_BINDIR; }

const char *kpack::programsFromLibraries() { return KPACK_BINDIR_FROM_LIBDIR; }
