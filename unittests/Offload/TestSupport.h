//===- TestSupport.h - inputs and mutations for these tests -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makers of the containers under test (bundles, ELF files from YAML, bitcode
// from assembly), written from the format descriptions and without the code
// under test; and one mutator for the hostile-input tests.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_OFFLOAD_TESTSUPPORT_H
#define KPACK_UNITTESTS_OFFLOAD_TESTSUPPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kpack::test {

/// Little-endian bytes of \p Value.
template <typename T> std::string bytesOf(T Value) {
  std::string Out;
  for (size_t I = 0; I != sizeof(T); ++I)
    Out.push_back(static_cast<char>(Value >> (8 * I)));
  return Out;
}

using BundleEntries = std::vector<std::pair<std::string, std::string>>;

/// A plain bundle: a table of (id, code), then the code, each at a multiple
/// of \p Align.
std::string makeBundle(const BundleEntries &Entries, uint64_t Align = 8);

enum class Method { Zlib = 0, Zstd = 1 };

/// What a compressed bundle says of its plain bytes.
uint64_t bundleHash(llvm::StringRef Plain);

/// A compressed bundle of \p Version 1 to 3.
std::string compressBundle(llvm::StringRef Plain, unsigned Version,
                           Method How = Method::Zstd);
std::string compressBundle(llvm::StringRef Plain, unsigned Version, Method How,
                           uint64_t Hash);

/// An image of an OffloadBinary.
struct OffloadBinaryImage {
  std::string Target, Bytes;
  uint16_t Producer = 4; // HIP's
  uint16_t Kind = 1;     // an object
};

/// An OffloadBinary of \p Version 1 (one image) or 2.
std::string makeOffloadBinary(const std::vector<OffloadBinaryImage> &Images,
                              unsigned Version);

/// A code object: the header of an AMDGPU ELF file with \p Flags, one segment
/// with \p Code in it, and \p Code.
std::string makeCodeObject(uint32_t Flags, const std::string &Code,
                           uint8_t Abi = 4);

/// yaml2obj.
std::string elfFromYaml(llvm::StringRef Yaml);
/// Bytes as yaml2obj's Content wants them.
std::string hex(llvm::StringRef Bytes);

/// llvm-as.
std::string bitcodeFromAssembly(llvm::StringRef Assembly);

/// The message of a failed result; "" for a good one.
template <typename T> std::string getMessage(llvm::Expected<T> Result) {
  return Result ? std::string() : llvm::toString(Result.takeError());
}

/// Calls \p Try with \p Good cut off at every length.
void forEachTruncation(const std::string &Good,
                       const std::function<void(llvm::StringRef)> &Try);

/// Calls \p Try with \p Count copies of \p Good in which a few bytes or
/// numbers were replaced; the same ones in every run.
void forEachMutation(const std::string &Good, unsigned Count,
                     const std::function<void(llvm::StringRef)> &Try);

} // namespace kpack::test

#endif // KPACK_UNITTESTS_OFFLOAD_TESTSUPPORT_H
