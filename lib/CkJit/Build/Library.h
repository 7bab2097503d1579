//===- Library.h - link of a library without its kernels --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The link step. It leaves out the link's blobs, rewrites dispatchers (or keeps
// them, with the stubs of the link seam) and compiles them for the host alone,
// compiles the manifest, and runs the real linker. The second half,
// linkLibrary(), also links the library again for another place.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_LIBRARY_H
#define KPACK_LIB_CKJIT_BUILD_LIBRARY_H

#include "BuildSettings.h"
#include "Processes.h"
#include "Relocation.h"
#include "State.h"

namespace kpack::ckjit {

/// Runs the link \p Command (response files expanded) of \p Compiler in the
/// current folder. Without stubs among its objects, runs it unchanged.
llvm::Error buildLibrary(const BuildSettings &Settings,
                         const std::string &Compiler,
                         const std::vector<std::string> &Command,
                         llvm::raw_ostream &Log);

struct LinkPlace {
  std::string Output;
  std::string Scratch; ///< for the manifest's source and object
  std::string RootAtRunTime;
  std::vector<std::string> RunPaths; ///< search path for libckjit.so
};

/// Returns the form of the manifest for these blobs. Each blob's link flags are
/// part of its key, so a library and the manifest beside it must agree.
EmbedOptions embedOptions(const BuildSettings &Settings,
                          llvm::ArrayRef<BlobRecord> Blobs,
                          const std::string &RootAtRunTime);

/// Writes the manifest and links. \p Blobs are in the form that the library
/// stores.
llvm::Error linkLibrary(HeldSignals &Signals, const BuildSettings &Settings,
                        const LibraryState &State,
                        std::vector<BlobRecord> Blobs, const LinkPlace &Place);

/// Links for the build tree; the library runs where it was built.
llvm::Error linkInPlace(HeldSignals &Signals, const BuildSettings &Settings,
                        const LibraryState &State);

llvm::Error makeFolder(const std::string &Path);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_LIBRARY_H
