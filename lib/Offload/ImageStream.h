//===- Offload/ImageStream.h - one image at a time --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The images of a container, one after the other. A large bundle that zstd has
// compressed (RCCL's has 1.2 GB) is decompressed as it is read, so that memory
// holds the images in use and not the bundle. Containers of other kinds are
// opened by openContainer() (FatBinary.h). The limit on what compressed input
// may become in memory (Support/UnpackLimit.h) is then one for each
// image.
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
  /// Has Bytes and nothing else. Null: they belong to the stream, or to the
  /// container where that is not compressed.
  std::shared_ptr<const void> Owner;
};

class ImageStream {
public:
  /// Bundles of fewer bytes than this are decompressed whole.
  static constexpr uint64_t DefaultMinSize = uint64_t(64) << 20;

  /// The images of \p C, which must outlive the stream. \p Object names the
  /// file in messages. Errors: as of openContainer().
  static llvm::Expected<std::unique_ptr<ImageStream>>
  open(const Container &C, llvm::StringRef Object,
       uint64_t MinSize = DefaultMinSize);

  virtual ~ImageStream();

  /// The next image in the order of the container's entries; none after the
  /// last. Errors: a bundle that cannot be decompressed, or is not the one of
  /// which its header has the hash. The hash is compared after the last image:
  /// no image is trustworthy before.
  virtual llvm::Expected<std::optional<StreamedImage>> next() = 0;

  /// Bytes at the start of the container that will not be read again.
  virtual uint64_t consumed() const = 0;
};

/// Gives \p Use the images of \p C, one after the other. Errors: as of
/// ImageStream, perhaps after \p Use has had images; and those of \p Use.
llvm::Error forEachImage(const Container &C, llvm::StringRef Object,
                         llvm::function_ref<llvm::Error(StreamedImage)> Use);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_IMAGESTREAM_H
