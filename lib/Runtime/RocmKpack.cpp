//===- RocmKpack.cpp - C API of librocm_kpack.so --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 14 functions of rocm_kpack/kpack.h. Each checks its arguments, calls the
// C++ implementation, and converts the result to an error number.
//
//===----------------------------------------------------------------------===//
#include "rocm_kpack/kpack.h"

#include "Loader.h"
#include "Runtime/BinaryPath.h"
#include "kpack/Archive/ArchiveReader.h"

#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>

using namespace kpack;
using namespace kpack::runtime;

namespace {

/// The reader's strings are not terminated; C needs a zero byte.
std::vector<std::string> copied(const std::vector<std::string_view> &Views) {
  return {Views.begin(), Views.end()};
}

kpack_error_t number(const Status &S) {
  return static_cast<kpack_error_t>(S.code());
}

/// Runs \p Body and turns exceptions into error numbers.
template <typename Function> kpack_error_t guarded(const Function &Body) {
  try {
    return Body();
  } catch (const std::bad_alloc &) {
    return KPACK_ERROR_OUT_OF_MEMORY;
  } catch (const std::length_error &) {
    return KPACK_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return KPACK_ERROR_IO_ERROR;
  }
}

/// Passes ownership of \p Code to the caller.
kpack_error_t giveAway(Result<Buffer> Code, void **Data, size_t *Size) {
  if (!Code)
    return number(Code.status());
  *Size = Code->size();
  *Data = Code->release();
  return KPACK_SUCCESS;
}

} // namespace

struct kpack_archive {
  explicit kpack_archive(std::unique_ptr<const ArchiveReader> R)
      : Reader(std::move(R)), Architectures(copied(Reader->architectures())) {}

  /// Copied on first use: an archive may have 100,000 binaries, and most
  /// callers do not list them.
  const std::vector<std::string> &binaries() {
    std::call_once(BinariesOnce,
                   [this] { Binaries = copied(Reader->binaries()); });
    return Binaries;
  }

  const std::unique_ptr<const ArchiveReader> Reader;
  const std::vector<std::string> Architectures;

private:
  std::once_flag BinariesOnce;
  std::vector<std::string> Binaries;
};

struct kpack_cache {
  Loader Load{Environment::read()};
};

extern "C" {

kpack_error_t kpack_open(const char *path, kpack_archive_t *archive) {
  if (!path || !archive)
    return KPACK_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    Result<std::unique_ptr<const ArchiveReader>> Reader =
        ArchiveReader::open(path);
    if (!Reader)
      return number(Reader.status());
    *archive = new kpack_archive(std::move(*Reader));
    return KPACK_SUCCESS;
  });
}

void kpack_close(kpack_archive_t archive) { delete archive; }

kpack_error_t kpack_get_architecture_count(kpack_archive_t archive,
                                           size_t *count) {
  if (!archive || !count)
    return KPACK_ERROR_INVALID_ARGUMENT;
  *count = archive->Architectures.size();
  return KPACK_SUCCESS;
}

kpack_error_t kpack_get_architecture(kpack_archive_t archive, size_t index,
                                     const char **arch) {
  if (!archive || !arch || index >= archive->Architectures.size())
    return KPACK_ERROR_INVALID_ARGUMENT;
  *arch = archive->Architectures[index].c_str();
  return KPACK_SUCCESS;
}

kpack_error_t kpack_get_binary_count(kpack_archive_t archive, size_t *count) {
  if (!archive || !count)
    return KPACK_ERROR_INVALID_ARGUMENT;
  *count = archive->Reader->binaries().size();
  return KPACK_SUCCESS;
}

kpack_error_t kpack_get_binary(kpack_archive_t archive, size_t index,
                               const char **binary) {
  if (!archive || !binary || index >= archive->Reader->binaries().size())
    return KPACK_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    *binary = archive->binaries()[index].c_str();
    return KPACK_SUCCESS;
  });
}

kpack_error_t kpack_get_kernel(kpack_archive_t archive, const char *binary_name,
                               const char *arch, void **kernel_data,
                               size_t *kernel_size) {
  if (!archive || !binary_name || !arch || !kernel_data || !kernel_size)
    return KPACK_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    const ArchiveEntry *Entry = archive->Reader->find(binary_name, arch);
    if (!Entry)
      return KPACK_ERROR_KERNEL_NOT_FOUND;
    return giveAway(archive->Reader->read(*Entry), kernel_data, kernel_size);
  });
}

void kpack_free_kernel(void *kernel_data) { std::free(kernel_data); }

kpack_error_t kpack_cache_create(kpack_cache_t *cache) {
  if (!cache)
    return KPACK_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    *cache = new kpack_cache();
    return KPACK_SUCCESS;
  });
}

void kpack_cache_destroy(kpack_cache_t cache) { delete cache; }

kpack_error_t kpack_discover_binary_path(const void *address_in_binary,
                                         char *path_out, size_t path_out_size,
                                         size_t *offset_out) {
  if (!address_in_binary || !path_out || path_out_size == 0)
    return KPACK_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    Result<FilePlace> File = findBinary(address_in_binary);
    if (!File)
      return number(File.status());
    if (File->Path.size() >= path_out_size)
      return KPACK_ERROR_INVALID_ARGUMENT;
    std::memcpy(path_out, File->Path.c_str(), File->Path.size() + 1);
    if (offset_out)
      *offset_out = File->Offset;
    return KPACK_SUCCESS;
  });
}

kpack_error_t kpack_load_code_object(kpack_cache_t cache,
                                     const void *hipk_metadata,
                                     const char *binary_path, uint32_t co_index,
                                     const char *const *arch_list,
                                     size_t arch_count, void **code_object_out,
                                     size_t *code_object_size_out) {
  if (!cache || !hipk_metadata || !binary_path || !arch_list ||
      arch_count == 0 || !code_object_out || !code_object_size_out)
    return KPACK_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    std::vector<std::string_view> DeviceNames;
    for (size_t I = 0; I != arch_count; ++I)
      if (arch_list[I])
        DeviceNames.emplace_back(arch_list[I]);
    return giveAway(
        cache->Load.load(hipk_metadata, binary_path, co_index, DeviceNames),
        code_object_out, code_object_size_out);
  });
}

void kpack_free_code_object(void *code_object) { std::free(code_object); }

kpack_error_t kpack_enumerate_architectures(const char *archive_path,
                                            kpack_arch_callback_t callback,
                                            void *user_data) {
  if (!archive_path || !callback)
    return KPACK_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    Result<std::unique_ptr<const ArchiveReader>> Reader =
        ArchiveReader::open(archive_path);
    if (!Reader)
      return number(Reader.status());
    for (const std::string &Arch : copied((*Reader)->architectures()))
      if (!callback(Arch.c_str(), user_data))
        break;
    return KPACK_SUCCESS;
  });
}

} // extern "C"
