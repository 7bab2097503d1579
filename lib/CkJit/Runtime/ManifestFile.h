//===- ManifestFile.h - blobs that a library does not name ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest as a build writes it and as it is installed (CK_JIT_MANIFEST):
// JSON objects with "source", "argv" and "cwd", in an array, in an object's
// "blobs", or one a line. Read only when the embedded manifest lacks a blob.
// The reader of ck-jit (kpack/CkJit/Seam.h) is made of LLVM; this one is not.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_RUNTIME_MANIFESTFILE_H
#define KPACK_LIB_CKJIT_RUNTIME_MANIFESTFILE_H

#include "kpack/CkJit/Runtime.h"
#include "kpack/Support/Status.h"

#include <memory>
#include <string_view>
#include <vector>

namespace kpack::ckjit {

/// The blobs of a manifest file. Immovable: blobs point into it.
class ManifestFile {
public:
  /// Errors: FileNotFound, IoError; InvalidFormat with the offset.
  static Result<std::unique_ptr<ManifestFile>> read(const std::string &Path);
  static Result<std::unique_ptr<ManifestFile>> parse(std::string_view Text,
                                                     const std::string &Path);

  ManifestFile(const ManifestFile &) = delete;
  ManifestFile &operator=(const ManifestFile &) = delete;

  /// Null if there is none. Its list of symbols is null.
  const ck_jit_blob *find(std::string_view Stem) const;
  size_t size() const { return Blobs.size(); }

private:
  ManifestFile() = default;

  struct Blob {
    std::string Stem, Source, Directory;
    std::vector<std::string> Flags;
    std::vector<const char *> FlagPointers;
    ck_jit_blob View;
  };
  class Parser;

  std::vector<std::unique_ptr<Blob>> Blobs;
};

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_RUNTIME_MANIFESTFILE_H
