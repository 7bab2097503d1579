//===- ImageStream.h - images of a bundle, one at a time --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the images of a container one after the other. A large bundle
// compressed with zstd (RCCL's has 1.2 GB) is decompressed as it is read, so
// that memory holds the images in use and not the bundle. openContainer()
// (FatBinary.h) opens the other kinds. The memory limit of compressed input
// (Support/UnpackLimit.h) applies to each image.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_IMAGESTREAM_H
#define KPACK_OFFLOAD_IMAGESTREAM_H

#include "Offload/FatBinary.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kpack::offload {

struct StreamedImage {
  std::string Target;
  llvm::StringRef Bytes;
  /// Owner of Bytes. Null if they belong to the stream, or to an uncompressed
  /// container.
  std::shared_ptr<const void> Owner;
};

class ImageStream {
public:
  /// Smaller bundles are decompressed whole.
  static constexpr uint64_t DefaultMinSize = uint64_t(64) << 20;

  /// Opens the images of \p C, which must outlive the stream. \p Object names
  /// the file in messages. Fails like openContainer().
  static llvm::Expected<std::unique_ptr<ImageStream>>
  open(const Container &C, llvm::StringRef Object,
       uint64_t MinSize = DefaultMinSize);

  virtual ~ImageStream();

  /// Returns the next image in the order of the container's entries; nullopt
  /// after the last. Fails if the bundle cannot be decompressed or does not
  /// match the hash in its header. The hash is compared after the last image:
  /// no image is trustworthy before.
  virtual llvm::Expected<std::optional<StreamedImage>> next() = 0;

  /// Bytes at the start of the container that will not be read again.
  virtual uint64_t consumed() const = 0;
};

/// Calls \p Use with each image of \p C, in order. Fails like ImageStream,
/// possibly after calls of \p Use, and if \p Use fails.
llvm::Error forEachImage(const Container &C, llvm::StringRef Object,
                         llvm::function_ref<llvm::Error(StreamedImage)> Use);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_IMAGESTREAM_H
