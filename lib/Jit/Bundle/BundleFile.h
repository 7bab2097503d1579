//===- Jit/Bundle/BundleFile.h - cache bundles as tar files -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes the members of a tar file, plain or compressed with zstd,
// with libarchive. Equal members give equal bytes. Bundle.h interprets the
// members. Layout: docs/format/jit-cache.md, "Bundles".
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

  BundleWriter(bool Compressed, Sink Output);
  ~BundleWriter();
  BundleWriter(const BundleWriter &) = delete;
  BundleWriter &operator=(const BundleWriter &) = delete;

  /// Errors: those of the sink; IoError with libarchive's message.
  Status add(const std::string &Path, std::string_view Bytes);
  /// Writes buffered data. Without this call the file is incomplete.
  Status finish();

private:
  static long write(archive *, void *Self, const void *Bytes, size_t Size);
  Status check(int Code);

  archive *Out;
  Sink To;
  Status Failure; ///< of the sink or the constructor
};

class BundleReader {
public:
  struct Member {
    std::string Path;
    bool IsFile = false; ///< regular file, no link
    bool IsFolder = false;
    uint64_t Size = 0; ///< in its header
  };

  /// "-" is standard input. \p Writer names the command that writes such files,
  /// for messages. Errors: FileNotFound, IoError; InvalidFormat for other than
  /// tar files.
  static Result<std::unique_ptr<BundleReader>> open(const std::string &Path,
                                                    const std::string &Writer);
  ~BundleReader();
  BundleReader(const BundleReader &) = delete;
  BundleReader &operator=(const BundleReader &) = delete;

  /// Returns nullopt at the end. Errors: InvalidFormat, after which reading
  /// must stop.
  Result<std::optional<Member>> next();
  /// Returns the content of the member, of at most \p Max bytes.
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
