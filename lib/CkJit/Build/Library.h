//===- Library.h - a library with late kernels ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The link step. Of the objects of the link, blobs are left out, dispatchers
// are rewritten (or kept, with the stubs of the link seam) and compiled for the
// host alone, the manifest is compiled in, and the real linker makes the
// library. The second half, linkLibrary(), also makes it again for another
// place.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_LIBRARY_H
#define KPACK_LIB_CKJIT_BUILD_LIBRARY_H

#include "Processes.h"
#include "Relocation.h"
#include "Settings.h"
#include "State.h"

namespace kpack::ckjit {

/// The link \p Words (response files expanded) of \p Compiler in the current
/// folder. Where no object is a stub, it is just run.
llvm::Error buildLibrary(const BuildSettings &Settings,
                         const std::string &Compiler,
                         const std::vector<std::string> &Words,
                         llvm::raw_ostream &Log);

struct LinkPlace {
  std::string Output;
  std::string Scratch; ///< folder for the manifest's source, object
  std::string RootAtRunTime;
  std::vector<std::string> RunPaths; ///< where libckjit.so is looked for
};

/// How the manifest of these blobs is written. What is linked to each of them
/// is part of its key: a library and the manifest beside it must agree.
EmbedOptions embedOptions(const BuildSettings &Settings,
                          llvm::ArrayRef<BlobRecord> Blobs,
                          const std::string &RootAtRunTime);

/// Manifest, and the link itself. \p Blobs in the form that the library keeps.
llvm::Error linkLibrary(HeldSignals &Signals, const BuildSettings &Settings,
                        const LibraryState &State,
                        std::vector<BlobRecord> Blobs, const LinkPlace &To);

/// As the build tree has it: runs where it was built.
llvm::Error linkInPlace(HeldSignals &Signals, const BuildSettings &Settings,
                        const LibraryState &State);

llvm::Error makeFolder(const std::string &Path);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_LIBRARY_H
