//===- kpack/detail/RfcApi.h - implementation of kpack/kpack.h --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the RFC's C API with ArchiveReader. The reader is immutable and
// needs no lock; values that are made on demand (lists, JSON, error texts) are
// kept in the archive under one mutex and do not change. Works without
// exceptions too; with them, running out of memory becomes an error number.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_DETAIL_RFCAPI_H
#define KPACK_DETAIL_RFCAPI_H

#ifndef KPACK_KPACK_H
#error "include kpack/kpack.h instead"
#endif

#include "kpack/Archive/detail/ContentHash.h"
#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>
#include <zstd.h>
#include <zstd_errors.h>

// One process may load two libraries that were built with two versions of this
// header; hidden symbols keep each with its version. The reader's includes of
// other projects come before, because their declarations must not become
// hidden.
#pragma GCC visibility push(hidden)
#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Support/Json.h"
#pragma GCC visibility pop

inline namespace __attribute__((visibility("hidden"))) kpack_rfc1 {
  namespace detail {

  /// A NULL-terminated array of C strings that does not move.
  class NameList {
  public:
    explicit NameList(const std::vector<std::string_view> &Names) {
      size_t Bytes = 0;
      for (std::string_view Name : Names)
        Bytes += Name.size() + 1;
      Text.reserve(Bytes);
      Pointers.reserve(Names.size() + 1);
      for (std::string_view Name : Names) {
        Pointers.push_back(Text.data() + Text.size());
        Text.append(Name).push_back('\0');
      }
      Pointers.push_back(nullptr);
    }
    NameList(const NameList &) = delete;
    NameList &operator=(const NameList &) = delete;

    const char **data() { return Pointers.data(); }
    size_t size() const { return Pointers.size() - 1; }

  private:
    std::string Text;
    std::vector<const char *> Pointers;
  };

  inline kpack_error_t number(kpack::StatusCode Code) {
    switch (Code) {
    case kpack::StatusCode::Success:
      return KPACK_SUCCESS;
    case kpack::StatusCode::FileNotFound:
      return KPACK_ERROR_FILE_NOT_FOUND;
    case kpack::StatusCode::UnsupportedVersion:
      return KPACK_ERROR_UNSUPPORTED_VERSION;
    case kpack::StatusCode::DecompressionFailed:
      return KPACK_ERROR_DECOMPRESSION_FAILED;
    case kpack::StatusCode::KernelNotFound:
      return KPACK_ERROR_KERNEL_NOT_FOUND;
    case kpack::StatusCode::OutOfMemory:
      return KPACK_ERROR_OUT_OF_MEMORY;
    case kpack::StatusCode::InvalidArgument:
      return KPACK_ERROR_INVALID_ARGUMENT;
    case kpack::StatusCode::IoError:
      return KPACK_ERROR_IO_ERROR;
    default:
      return KPACK_ERROR_INVALID_FORMAT;
    }
  }

  /// The error of the last kpack_open() of this thread.
  inline std::string &openError() {
    static thread_local std::string Text;
    return Text;
  }

  } // namespace detail
} // namespace kpack_rfc1

struct kpack_rfc1::kpack_archive {
  explicit kpack_archive(std::unique_ptr<const kpack::ArchiveReader> R)
      : Reader(std::move(R)), Architectures(Reader->architectures()) {}

  /// Stores \p S for kpack_get_last_error() and returns its number.
  kpack_error_t fail(const kpack::Status &S) {
    std::lock_guard<std::mutex> Guard(Lock);
    Errors[std::this_thread::get_id()] = S.message();
    return detail::number(S.code());
  }

  const char *lastError() {
    std::lock_guard<std::mutex> Guard(Lock);
    auto Found = Errors.find(std::this_thread::get_id());
    return Found == Errors.end() ? "" : Found->second.c_str();
  }

  /// Returns the entry for exact key \p Name or else "<Name>#0", the name of
  /// the only translation unit of a binary.
  const kpack::ArchiveEntry *find(std::string_view Name,
                                  std::string_view Arch) const {
    if (const kpack::ArchiveEntry *Entry = Reader->find(Name, Arch))
      return Entry;
    return Reader->find(std::string(Name) + "#0", Arch);
  }

  detail::NameList &list(std::string_view Binary, std::string_view Arch) {
    std::lock_guard<std::mutex> Guard(Lock);
    auto Query = std::make_pair(std::string(Binary), std::string(Arch));
    auto Known = Lists.find(Query);
    if (Known != Lists.end())
      return *Known->second;
    std::vector<std::string_view> Names = namesOf(Binary, Arch);
    if (Names.empty())
      return Empty;
    return *Lists.emplace(Query, std::make_unique<detail::NameList>(Names))
                .first->second;
  }

  const std::string &json(const kpack::ArchiveEntry &Entry,
                          uint64_t StoredSize) {
    std::lock_guard<std::mutex> Guard(Lock);
    std::string &Text = Jsons[&Entry];
    if (Text.empty())
      Text = kpack::jsonObject(
          {{"binary", kpack::jsonString(Entry.Binary)},
           {"arch", kpack::jsonString(Entry.Arch)},
           {"type", kpack::jsonString(Entry.Type)},
           {"ordinal", std::to_string(Entry.Ordinal)},
           {"original_size", std::to_string(Entry.OriginalSize)},
           {"stored_size", std::to_string(StoredSize)},
           {"compression_scheme",
            kpack::jsonString(kpack::schemeName(Reader->scheme()))}});
    return Text;
  }

  const std::unique_ptr<const kpack::ArchiveReader> Reader;
  detail::NameList Architectures;

private:
  /// Returns the keys of \p Binary that have code for \p Arch; sorted, since
  /// the entries are.
  std::vector<std::string_view> namesOf(std::string_view Binary,
                                        std::string_view Arch) const {
    const std::vector<kpack::ArchiveEntry> &All = Reader->entries();
    auto It =
        std::lower_bound(All.begin(), All.end(), Binary,
                         [](const kpack::ArchiveEntry &E,
                            std::string_view Name) { return E.Binary < Name; });
    std::vector<std::string_view> Names;
    for (; It != All.end() && It->Binary.substr(0, Binary.size()) == Binary;
         ++It) {
      std::string_view Rest = It->Binary.substr(Binary.size());
      bool Belongs = Binary.empty() || Rest.empty() || Rest.front() == '#' ||
                     Rest.front() == '/';
      bool IsNew = Names.empty() || Names.back() != It->Binary;
      if (Belongs && IsNew && (Arch.empty() || It->Arch == Arch))
        Names.push_back(It->Binary);
    }
    return Names;
  }

  std::mutex Lock; // guards all below
  std::unordered_map<std::thread::id, std::string> Errors;
  std::map<std::pair<std::string, std::string>,
           std::unique_ptr<detail::NameList>>
      Lists;
  std::unordered_map<const kpack::ArchiveEntry *, std::string> Jsons;
  detail::NameList Empty{{}};
};

inline namespace __attribute__((visibility("hidden"))) kpack_rfc1 {
  namespace detail {

  /// Runs \p Body; an exception for lack of memory becomes a number.
  template <typename Function> kpack_error_t guarded(const Function &Body) {
#ifdef __cpp_exceptions
    try {
      return Body();
    } catch (...) {
      return KPACK_ERROR_OUT_OF_MEMORY;
    }
#else
    return Body();
#endif
  }

  inline kpack::Status nullArgument(const char *Function) {
    return {kpack::StatusCode::InvalidArgument,
            std::string(Function) +
                ": a pointer is null; pass one that is not"};
  }

  /// Runs \p Body, the work of function \p Name on an archive.
  template <typename Function>
  kpack_error_t onArchive(kpack_archive_t Archive, const char *Name,
                          bool HasPointers, const Function &Body) {
    if (!Archive)
      return KPACK_ERROR_INVALID_ARGUMENT;
    return guarded([&] {
      return HasPointers ? Body() : Archive->fail(nullArgument(Name));
    });
  }

  inline kpack::Status notFound(const kpack_archive &Archive,
                                const char *BinaryName, const char *Arch) {
    return {kpack::StatusCode::KernelNotFound,
            Archive.Reader->path() + ": no code object '" + BinaryName +
                "' for '" + Arch + "'; 'kpack list' names those it has"};
  }

  inline kpack_error_t openFailed(const kpack::Status &S) {
    openError() = S.message();
    return number(S.code());
  }

  } // namespace detail

  inline kpack_error_t kpack_open(const char *path, kpack_archive_t *archive) {
    return detail::guarded([&] {
      if (!path || !archive)
        return detail::openFailed(detail::nullArgument("kpack_open"));
      kpack::Result<std::unique_ptr<const kpack::ArchiveReader>> Reader =
          kpack::ArchiveReader::open(path);
      if (!Reader)
        return detail::openFailed(Reader.status());
      *archive = new kpack_archive(std::move(*Reader));
      return KPACK_SUCCESS;
    });
  }

  inline void kpack_close(kpack_archive_t archive) { delete archive; }

  inline kpack_error_t kpack_get_architectures(
      kpack_archive_t archive, const char ***arches, size_t *count) {
    bool HasPointers = arches && count;
    return detail::onArchive(archive, "kpack_get_architectures", HasPointers,
                             [&] {
                               *arches = archive->Architectures.data();
                               *count = archive->Architectures.size();
                               return KPACK_SUCCESS;
                             });
  }

  inline kpack_error_t kpack_list_kernels(
      kpack_archive_t archive, const char *binary_name, const char *arch,
      const char ***kernel_names, size_t *count) {
    bool HasPointers = kernel_names && count;
    return detail::onArchive(archive, "kpack_list_kernels", HasPointers, [&] {
      detail::NameList &Names =
          archive->list(binary_name ? binary_name : "", arch ? arch : "");
      *kernel_names = Names.data();
      *count = Names.size();
      return KPACK_SUCCESS;
    });
  }

  inline kpack_error_t kpack_get_kernel(
      kpack_archive_t archive, const char *binary_name, const char *arch,
      const void **kernel_data, size_t *kernel_size) {
    bool HasPointers = binary_name && arch && kernel_data && kernel_size;
    return detail::onArchive(archive, "kpack_get_kernel", HasPointers, [&] {
      const kpack::ArchiveEntry *Entry = archive->find(binary_name, arch);
      if (!Entry)
        return archive->fail(detail::notFound(*archive, binary_name, arch));
      const kpack::ArchiveReader &Reader = *archive->Reader;
      if (Reader.scheme() == kpack::CompressionScheme::None) {
        kpack::Result<std::string_view> Bytes = Reader.view(*Entry);
        if (!Bytes)
          return archive->fail(Bytes.status());
        *kernel_data = Bytes->data();
        *kernel_size = Bytes->size();
        return KPACK_SUCCESS;
      }
      kpack::Result<kpack::Buffer> Bytes = Reader.read(*Entry);
      if (!Bytes)
        return archive->fail(Bytes.status());
      *kernel_size = Bytes->size();
      *kernel_data = Bytes->release();
      return KPACK_SUCCESS;
    });
  }

  inline void kpack_free_kernel(kpack_archive_t archive,
                                const void *kernel_data) {
    // An uncompressed archive returns pointers into the mapped file.
    if (archive && archive->Reader->scheme() != kpack::CompressionScheme::None)
      std::free(const_cast<void *>(kernel_data));
  }

  inline kpack_error_t kpack_get_kernel_metadata(
      kpack_archive_t archive, const char *binary_name, const char *arch,
      const char **metadata_json, size_t *size) {
    bool HasPointers = binary_name && arch && metadata_json && size;
    return detail::onArchive(
        archive, "kpack_get_kernel_metadata", HasPointers, [&] {
          const kpack::ArchiveEntry *Entry = archive->find(binary_name, arch);
          if (!Entry)
            return archive->fail(detail::notFound(*archive, binary_name, arch));
          kpack::Result<uint64_t> Stored = archive->Reader->storedSize(*Entry);
          if (!Stored)
            return archive->fail(Stored.status());
          const std::string &Json = archive->json(*Entry, *Stored);
          *metadata_json = Json.c_str();
          *size = Json.size();
          return KPACK_SUCCESS;
        });
  }

  inline const char *kpack_get_last_error(kpack_archive_t archive) {
    return archive ? archive->lastError() : detail::openError().c_str();
  }

} // namespace kpack_rfc1

#endif // KPACK_DETAIL_RFCAPI_H
