//===- Jit/Bundle/BundleFile.h - cache entries in a tar file ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members of a tar file, plain or compressed with zstd, by libarchive. The same
// members give the same bytes. Nothing here knows what a member is: that is
// Bundle.h. Layout: docs/format/jit-cache.md, "Bundles".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_BUNDLE_BUNDLEFILE_H
#define KPACK_JIT_BUNDLE_BUNDLEFILE_H

#include "kpack/Support/Buffer.h"
#include "kpack/Support/Status.h"
#include "kpack/Support/UniqueFd.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct archive;

namespace kpack::jit {

class BundleWriter {
public:
  using Sink = std::function<Status(std::string_view)>;

  BundleWriter(bool Compressed, Sink To);
  ~BundleWriter();
  BundleWriter(const BundleWriter &) = delete;
  BundleWriter &operator=(const BundleWriter &) = delete;

  /// Errors: the sink's; IoError with libarchive's words.
  Status add(const std::string &Path, std::string_view Bytes);
  /// Writes what is still held. Without it the file is not complete.
  Status finish();

private:
  static long write(archive *, void *Self, const void *Bytes, size_t Size);
  Status check(int Code);

  archive *Out;
  Sink To;
  Status Failure; ///< of the sink, or of the beginning
};

class BundleReader {
public:
  struct Member {
    std::string Path;
    bool IsFile = false; ///< regular, and no link
    bool IsFolder = false;
    uint64_t Size = 0; ///< as its header says
  };

  /// "-" is standard input. \p Writer is what writes such files, for messages.
  /// Errors: FileNotFound, IoError; InvalidFormat for
  /// what is no tar file.
  static Result<std::unique_ptr<BundleReader>> open(const std::string &Path,
                                                    const std::string &Writer);
  ~BundleReader();
  BundleReader(const BundleReader &) = delete;
  BundleReader &operator=(const BundleReader &) = delete;

  /// Nothing at the end. Errors: InvalidFormat; nothing more can be read then.
  Result<std::optional<Member>> next();
  /// The content of the member, which must not be longer than \p Max.
  Result<Buffer> read(uint64_t Max);

private:
  BundleReader(UniqueFd File, std::string Path);
  Status damaged() const;

  UniqueFd File;
  std::string Path;
  archive *In;
};

} // namespace kpack::jit

#endif // KPACK_JIT_BUNDLE_BUNDLEFILE_H
