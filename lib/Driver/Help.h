//===- Help.h - text of --kpack-help ----------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of --kpack-help, which --help prints before clang's.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_HELP_H
#define KPACK_LIB_DRIVER_HELP_H

#include "llvm/ADT/StringRef.h"

namespace kpack::driver {

inline constexpr llvm::StringLiteral HelpText =
    R"(OVERVIEW: clang++ that writes device code to kpack archives

USAGE: kpack-clang++ [options of clang++] --emit-kpack[=FILE] file...

With --emit-kpack the device code of HIP sources goes to archives beside a
host-only output. Without it this is clang++.

KPACK OPTIONS:
  --emit-kpack[=<file>]     Write device code to <file>; @GFXARCH@ in the name
                            gives one archive a target (default:
                            .kpack/<output>_@GFXARCH@.kpack beside the output)
  --device-debug=keep|strip|split
                            DWARF of device code stays in the archive (default),
                            is left out, or goes into an archive of its own
  --emit-host-only=<file>   Name of the host-only output, as -o
  --kpack-clang=<path>      Drive this clang++, of version 19 or later (default:
                            that of HIP_CLANG_PATH, else the one kpack was built
                            with)
  --kpack-compiler-id       Print size and time of the files that decide on a
                            compile, for ccache's compiler_check
  --kpack-compression=zstd[:<level>]|none
                            How kernels are stored in the archive
  --kpack-group=<name>      Group the archive belongs to
  --kpack-help              This text
  --kpack-jobs=<n>          Compiles at once (default: number of CPUs)
  --kpack-name=<name>       Name of the binary in marker and archive
  --kpack-search-path=<path>
                            Where the marker says the archive is, relative to
                            the output (repeatable)
  --kpack-shim              Link libkpack_hip, which lets the output run on HIP
                            runtimes that do not know kpack

)";

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_HELP_H
