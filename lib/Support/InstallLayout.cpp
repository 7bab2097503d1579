//===- InstallLayout.cpp - relative paths of installed parts --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See InstallLayout.h. The values come from CMakeLists.txt, so another layout
// recompiles only this file.
//
//===----------------------------------------------------------------------===//
#include "Support/InstallLayout.h"

const char *kpack::librariesFromPrograms() { return KPACK_LIBDIR_FROM_BINDIR; }

const char *kpack::programsFromLibraries() { return KPACK_BINDIR_FROM_LIBDIR; }
